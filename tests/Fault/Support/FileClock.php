<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use DateTimeImmutable;
use Headroom\Core\Clock;

/**
 * Both of a machine's clocks, for all processes of a test: the one that an operator may set, and the one that counts
 * from the boot.
 */
final readonly class FileClock implements Clock
{
    public function __construct(private string $directory) {}

    public static function path(string $directory): string
    {
        return "{$directory}/clock";
    }

    /**
     * @param int $wall seconds since the Unix epoch
     * @param int $boot seconds since the boot
     */
    public static function set(string $directory, int $wall, int $boot): void
    {
        file_put_contents(self::path($directory), "{$wall} {$boot}");
    }

    public function now(): DateTimeImmutable
    {
        return new DateTimeImmutable('@'.intdiv($this->micros(), 1_000_000));
    }

    public function micros(): int
    {
        return 1_000_000 * $this->read()[0];
    }

    public function monotonicNanos(): int
    {
        return 1_000_000_000 * $this->read()[1];
    }

    public function sleep(int $micros): void
    {
        [$wall, $boot] = $this->read();
        $seconds = (int) ceil($micros / 1_000_000);
        self::set($this->directory, $wall + $seconds, $boot + $seconds);
    }

    /** @return array{int, int} */
    private function read(): array
    {
        [$wall, $boot] = [...explode(' ', (string) file_get_contents(self::path($this->directory))), '0'];

        return [(int) $wall, (int) $boot];
    }
}
