<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Process\Supervision;

use Closure;
use Headroom\Process\Supervision\Channel;
use Headroom\Process\Supervision\ProcessControl;
use Headroom\Process\Supervision\ProcessExit;
use Headroom\Process\Supervision\ProcessHandle;
use Headroom\Process\UnableToStart;
use Headroom\Tests\Support\TimedClock;

/**
 * Processes that a test starts and ends. Their work is kept and never run; each start has the next pid, from 1 on.
 */
final class FakeProcesses implements ProcessControl
{
    /** How many of the next starts fail. */
    public int $failing = 0;

    /** @var list<int> the seconds at which a start was tried */
    public array $tries = [];

    /** @var array<int, int> the second of its start, by pid */
    public array $started = [];

    /** @var array<int, int> the second in which its end was seen, by pid */
    public array $reaped = [];

    /** @var list<array{int, int, int}> second, pid, signal */
    public array $signals = [];

    /** @var array<int, Closure(Channel): int> by pid */
    public array $works = [];

    /** @var list<int> pids that hear nothing but SIGKILL */
    public array $deaf = [];

    /** @var array<int, ProcessExit> not reaped yet, by pid */
    private array $ended = [];

    public function __construct(private readonly TimedClock $clock) {}

    public function end(int $pid, int $code): void
    {
        $this->ended[$pid] ??= ProcessExit::withCode($code);
    }

    public function endBySignal(int $pid, int $signal): void
    {
        $this->ended[$pid] ??= ProcessExit::bySignal($signal);
    }

    /** @return list<int> pids that run, or whose end has not been seen yet */
    public function left(): array
    {
        return array_keys(array_diff_key($this->started, $this->reaped));
    }

    /** @param Closure(Channel): int $work */
    public function start(string $name, Closure $work): ProcessHandle
    {
        $this->tries[] = $this->clock->second();

        if ($this->failing > 0) {
            $this->failing--;

            throw UnableToStart::process($name, 'no more');
        }

        $pid = count($this->started) + 1;
        $this->started[$pid] = $this->clock->second();
        $this->works[$pid] = $work;

        return new ProcessHandle($pid, null, $this);
    }

    public function reap(int $pid): ?ProcessExit
    {
        $end = $this->ended[$pid] ?? null;

        if ($end !== null) {
            $this->reaped[$pid] = $this->clock->second();
            unset($this->ended[$pid]);
        }

        return $end;
    }

    public function signal(int $pid, int $signal): void
    {
        $this->signals[] = [$this->clock->second(), $pid, $signal];

        if ($signal === 9 || ! in_array($pid, $this->deaf, true)) {
            $this->ended[$pid] ??= $signal === 9 ? ProcessExit::bySignal(9) : ProcessExit::withCode(74);
        }
    }
}
