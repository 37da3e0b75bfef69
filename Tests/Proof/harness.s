# Executes one instruction on registers from memory. check-lifter copies this code, and the instruction to `hole`.
# The argument (rdi) is the address of: 16 general-purpose registers, the flags, 8 mask registers, and 32 vector registers at 256.
    .intel_syntax noprefix
    .text
    .globl start, hole, finish
start:
    push rbx
    push rbp
    push r12
    push r13
    push r14
    push r15
    mov [rip + own_rsp], rsp
    mov [rip + context], rdi
    .irp n, 0,1,2,3,4,5,6,7
    kmovq k\n, [rdi + 136 + 8 * \n]
    .endr
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    vmovdqu64 zmm\n, [rdi + 256 + 64 * \n]
    .endr
    push [rdi + 128]
    popfq
    mov rax, [rdi]
    mov rcx, [rdi + 8]
    mov rdx, [rdi + 16]
    mov rbx, [rdi + 24]
    mov rsp, [rdi + 32]
    mov rbp, [rdi + 40]
    mov rsi, [rdi + 48]
    .irp n, 8,9,10,11,12,13,14,15
    mov r\n, [rdi + 8 * \n]
    .endr
    mov rdi, [rdi + 56]
hole:
    .fill 128, 1, 0x90
finish:
    mov [rip + their_rsp], rsp
    mov [rip + their_rdi], rdi
    mov rsp, [rip + own_rsp]
    mov rdi, [rip + context]
    mov [rdi], rax
    pushfq
    pop [rdi + 128]
    mov [rdi + 8], rcx
    mov [rdi + 16], rdx
    mov [rdi + 24], rbx
    mov [rdi + 40], rbp
    mov [rdi + 48], rsi
    .irp n, 8,9,10,11,12,13,14,15
    mov [rdi + 8 * \n], r\n
    .endr
    mov rax, [rip + their_rsp]
    mov [rdi + 32], rax
    mov rax, [rip + their_rdi]
    mov [rdi + 56], rax
    .irp n, 0,1,2,3,4,5,6,7
    kmovq [rdi + 136 + 8 * \n], k\n
    .endr
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    vmovdqu64 [rdi + 256 + 64 * \n], zmm\n
    .endr
    vzeroupper
    pop r15
    pop r14
    pop r13
    pop r12
    pop rbp
    pop rbx
    ret
    .balign 8
own_rsp: .quad 0
context: .quad 0
their_rsp: .quad 0
their_rdi: .quad 0
