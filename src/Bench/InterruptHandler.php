<?php

declare(strict_types=1);

namespace Headroom\Bench;

use Closure;
use Headroom\Process\Signal;

/**
 * Handles the signals that end a measurement: Ctrl-C, a closed terminal, or kill. The first signal is thrown as an
 * exception into the running code, which removes everything on the way out. No later signal interrupts the removal.
 *
 * @internal
 */
final class InterruptHandler
{
    private ?Interrupted $first = null;

    /** Number of running sections that must complete. */
    private int $whole = 0;

    /** @param Closure(string): void $log */
    public function __construct(private readonly Closure $log) {}

    /** @return list<int> empty where PHP cannot handle signals */
    public static function signals(): array
    {
        return function_exists('pcntl_signal')
            ? [Signal::Interrupt->value, Signal::Terminate->value, Signal::HangUp->value]
            : [];
    }

    /** @throws Interrupted */
    public function handle(int $signal): void
    {
        $isFirst = $this->first === null;
        $this->first ??= Interrupted::bySignal($signal);

        if ($isFirst && $this->whole === 0) {
            throw $this->first;
        }

        ($this->log)(
            ($isFirst ? 'Ending, and removing all that was created' : 'Still removing all that was created')
                .'; kill -9 '.getmypid().' leaves it.',
        );
    }

    /**
     * For code that runs often: where other code has caught the first exception as a failure, this throws it again.
     * @throws Interrupted
     */
    public function throwIfInterrupted(): void
    {
        if ($this->first !== null && $this->whole === 0) {
            throw $this->first;
        }
    }

    /** From now on no signal throws: the last resource is removed. */
    public function disable(): void
    {
        $this->whole++;
    }

    /**
     * @template T
     * @param Closure(): T $work that a signal does not interrupt; a signal that comes meanwhile throws after it
     * @return T
     * @throws Interrupted
     */
    public function shield(Closure $work): mixed
    {
        $before = $this->first;
        $this->whole++;

        try {
            $result = $work();
        } finally {
            $this->whole--;
        }

        $before === null ? $this->throwIfInterrupted() : null;

        return $result;
    }
}
