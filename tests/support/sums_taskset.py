"""A taskset of verifiers with sums, and others that cannot be guests."""

from collections.abc import Iterable

import verifiers.v1 as vf

__all__ = ["Boxes", "Endless", "Runs", "Silent", "Sums"]


class SumData(vf.TaskData):
    answer: str


class SumTask(vf.Task[SumData]):
    @vf.reward(weight=1.0)
    async def exact(self, task: SumData, trace: vf.Trace) -> float:
        return float(trace.last_reply.strip() == task.answer)

    @vf.reward(weight=0.5)
    async def positive(self, trace: vf.Trace) -> float:
        return float(int(trace.last_reply) > 0)

    @vf.metric
    async def length(self, trace: vf.Trace) -> float:
        return float(len(trace.last_reply))


class SumConfig(vf.TasksetConfig):
    most: int = 10


class Sums(vf.Taskset[SumTask, SumConfig]):
    def load(self) -> Iterable[SumTask]:
        for number in range(self.config.most):
            prompt = f"What is {number} + 1?"
            data = SumData(prompt=prompt, system_prompt="A number.", answer=str(number + 1))
            yield SumTask(data, self.config.task)


class Endless(Sums):
    INFINITE = True


class Slow(SumTask):
    @vf.reward
    async def never(self) -> float:
        while True:
            pass


class Sleepy(Sums):
    def load(self) -> Iterable[SumTask]:
        yield Slow(SumData(prompt="?", answer=""), self.config.task)


class RunTask(vf.Task[SumData]):
    @vf.reward
    async def ran(self, runtime: vf.Runtime) -> float:
        return 1.0


class Runs(Sums):
    def load(self) -> Iterable[SumTask]:
        yield RunTask(SumData(prompt="?", answer=""), self.config.task)


class Silent(Sums):
    def load(self) -> Iterable[SumTask]:
        yield SumTask(SumData(prompt=None, answer=""), self.config.task)


class Boxes(Sums):
    def load(self) -> Iterable[SumTask]:
        yield SumTask(SumData(prompt="?", answer="", image="box"), self.config.task)
