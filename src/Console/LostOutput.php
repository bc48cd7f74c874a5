<?php

declare(strict_types=1);

namespace Headroom\Console;

use Closure;

/**
 * Detects output that the system did not accept, as on a full disk. Symfony's outputs ignore a failed write.
 *
 * @internal
 */
final readonly class LostOutput
{
    /** A program such as head(1) closes the pipe after the lines that it needs. */
    private const BROKEN_PIPE = 32;

    /**
     * @param Closure(): void $print
     * @return list<string> reasons of the system, each once; empty if all output was written
     */
    public static function during(Closure $print): array
    {
        $reasons = [];
        $previous = set_error_handler(static function (int $level, string $message, mixed ...$where) use (
            &$previous,
            &$reasons,
        ): bool {
            if (preg_match('/\Afwrite\(\): .* errno=(\d+) (.+)\z/', $message, $m) === 1) {
                if ((int) $m[1] !== self::BROKEN_PIPE) {
                    $reasons[] = $m[2];
                }

                return true;
            }

            return is_callable($previous) && $previous($level, $message, ...$where) !== false;
        });

        try {
            $print();
        } finally {
            restore_error_handler();
        }

        return array_values(array_unique($reasons));
    }
}
