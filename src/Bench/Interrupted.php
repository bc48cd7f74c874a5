<?php

declare(strict_types=1);

namespace Headroom\Bench;

use Headroom\Core\HeadroomException;
use RuntimeException;
use Throwable;

/**
 * Somebody pressed Ctrl-C, or closed the terminal. What was made for the measurement is removed on the way out.
 *
 * @internal
 */
final class Interrupted extends RuntimeException implements HeadroomException
{
    private function __construct(string $message, public readonly int $signal)
    {
        parent::__construct($message);
    }

    /** Laravel's connections wrap whatever is thrown while they work. */
    public static function within(Throwable $failure): ?self
    {
        for ($cause = $failure; $cause !== null; $cause = $cause->getPrevious()) {
            if ($cause instanceof self) {
                return $cause;
            }
        }

        return null;
    }

    public static function bySignal(int $signal = 2): self
    {
        return new self('Interrupted; what it had made is removed.', $signal);
    }
}
