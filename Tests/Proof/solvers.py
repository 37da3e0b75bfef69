"""The solvers. Each decides SMT-LIB problems as text, and remembers those that it has proved."""

import bitwuzla
import z3

seconds = 20


class Solver:
    def __init__(self):
        self.proved = set()

    def proves(self, problem):
        """Whether the problem has no solution, so that the equality holds for all values."""
        if problem not in self.proved and self.is_unsatisfiable(problem):
            self.proved.add(problem)
        return problem in self.proved


class Z3(Solver):
    name = "z3"

    def is_unsatisfiable(self, problem):
        solver = z3.SolverFor("QF_BV")
        solver.set("timeout", 1000 * seconds)
        solver.from_string(problem)
        return solver.check() == z3.unsat


class Bitwuzla(Solver):
    name = "bitwuzla"

    def is_unsatisfiable(self, problem):
        manager, options = bitwuzla.TermManager(), bitwuzla.Options()
        options.set(bitwuzla.Option.TIME_LIMIT_PER, 1000 * seconds)
        parser = bitwuzla.Parser(manager, options)
        parser.parse(problem.replace("(check-sat)\n", ""), True, False)
        return parser.bitwuzla().check_sat() == bitwuzla.Result.UNSAT
