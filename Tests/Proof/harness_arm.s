// Executes the instruction CODE on registers from the standard input, and writes the registers to the standard output.
// Registers are x0 to x15, the flags, 8 unused bytes, and v0 to v31.
    .arch armv8-a+sha2
    .equ SIZE, 656
    .globl _start
_start:
    adrp x28, context
    add x28, x28, :lo12:context
    mov x20, #0
read:
    mov x0, #0
    add x1, x28, x20
    mov x2, #SIZE
    sub x2, x2, x20
    mov x8, #63
    svc #0
    cmp x0, #0
    b.le finish
    add x20, x20, x0
    cmp x20, #SIZE
    b.lt read
    ldr x0, [x28, #128]
    msr nzcv, x0
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    ldr q\n, [x28, #(144 + 16 * \n)]
    .endr
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    ldr x\n, [x28, #(8 * \n)]
    .endr
    .inst CODE
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    str x\n, [x28, #(8 * \n)]
    .endr
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    str q\n, [x28, #(144 + 16 * \n)]
    .endr
    mrs x0, nzcv
    str x0, [x28, #128]
    mov x0, #1
    mov x1, x28
    mov x2, #SIZE
    mov x8, #64
    svc #0
    b _start
finish:
    mov x0, #0
    mov x8, #93
    svc #0
    .bss
    .balign 16
context: .skip SIZE
