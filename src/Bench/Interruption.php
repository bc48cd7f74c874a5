<?php

declare(strict_types=1);

namespace Headroom\Bench;

use Closure;
use Headroom\Process\Signal;

/**
 * Signals that end a measurement: Ctrl-C, a terminal that is closed, or kill. The first signal is thrown into the
 * running code, so that everything is removed on the way out. No later signal interrupts the removal.
 *
 * @internal
 */
final class Interruption
{
    private ?Interrupted $first = null;

    /** Number of running sections that must complete. */
    private int $whole = 0;

    /** @param Closure(string): void $say */
    public function __construct(private readonly Closure $say) {}

    /** @return list<int> none where PHP can not take signals */
    public static function signals(): array
    {
        return function_exists('pcntl_signal')
            ? [Signal::Interrupt->value, Signal::Terminate->value, Signal::HangUp->value]
            : [];
    }

    /** @throws Interrupted */
    public function heed(int $signal): void
    {
        $isFirst = $this->first === null;
        $this->first ??= Interrupted::bySignal($signal);

        if ($isFirst && $this->whole === 0) {
            throw $this->first;
        }

        ($this->say)(
            ($isFirst ? 'Ending, and removing what it made' : 'Still removing what it made').'; kill -9 '.getmypid()
                .' leaves it.',
        );
    }

    /**
     * For places that come by often: who took it for the failure of something else, and went on, hears of it again.
     *
     * @throws Interrupted
     */
    public function check(): void
    {
        if ($this->first !== null && $this->whole === 0) {
            throw $this->first;
        }
    }

    /** From now on nothing is thrown: the last that is removed. */
    public function isOver(): void
    {
        $this->whole++;
    }

    /**
     * @template T
     * @param Closure(): T $work that is not broken off; what came meanwhile is thrown after it
     * @return T
     * @throws Interrupted
     */
    public function after(Closure $work): mixed
    {
        $before = $this->first;
        $this->whole++;

        try {
            $result = $work();
        } finally {
            $this->whole--;
        }

        $before === null ? $this->check() : null;

        return $result;
    }
}
