<?php

declare(strict_types=1);

namespace Headroom\Laravel\Install;

/**
 * Turns on the setting `health_route` in a published config/spool.php. To turn it off, remove the line.
 *
 * @internal
 */
final readonly class HealthRoute
{
    private const LINE = "    'health_route' => true,";

    public function __construct(private string $path) {}

    /** @return bool false when the file cannot be written, or is not written as this package publishes it */
    public function turnOn(): bool
    {
        $code = @file_get_contents($this->path);

        if ($code === false) {
            return false;
        }

        // The callback keeps a "$" or a backslash of the application's own text as it is.
        $changed = preg_replace_callback(
            ["/^ {4}'health_route' => [^\n]*,$/m"],
            static fn (): string => self::LINE,
            $code,
            1,
            $count,
        );

        if ($count === 0) {
            $changed = preg_replace("/^ {4}'buckets' => /m", self::LINE."\n\n\\0", $code, 1, $count);
        }

        return $count === 1
            && is_string($changed)
            && is_writable($this->path)
            && @file_put_contents($this->path, $changed, LOCK_EX) === strlen($changed);
    }
}
