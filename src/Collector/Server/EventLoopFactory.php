<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use React\EventLoop\ExtEventLoop;
use React\EventLoop\ExtEvLoop;
use React\EventLoop\ExtUvLoop;
use React\EventLoop\LoopInterface;
use React\EventLoop\StreamSelectLoop;

/**
 * Which event loop this PHP has, the best first, and how many descriptors it bears.
 *
 * @internal
 */
final readonly class EventLoopFactory
{
    /** select() knows no descriptor from here on, and PHP's goes deaf for good when it is shown one. */
    private const SELECT_END = 1_024;

    private const SELECT_DESCRIPTORS = 900;

    /** For files, sockets that listen and those of the supervisor. */
    private const SELECT_RESERVE = 100;

    private const LEAST_DESCRIPTORS = 16;

    private const MOST_DESCRIPTORS = 20_000;

    private function __construct(public string $name, public int $descriptors) {}

    /** @throws UnableToServe */
    public static function best(): self
    {
        if (! interface_exists(LoopInterface::class)) {
            throw UnableToServe::missing(
                'react/event-loop',
                'composer require react/event-loop:^1.5 react/socket:^1.16',
            );
        }

        foreach (['event', 'ev', 'uv'] as $extension) {
            if (extension_loaded($extension)) {
                return new self("ext-{$extension}", self::allowed(self::MOST_DESCRIPTORS));
            }
        }

        $inherited = self::inherited();
        $most = min(self::SELECT_DESCRIPTORS, self::SELECT_END - self::SELECT_RESERVE - $inherited);

        return $most < self::LEAST_DESCRIPTORS
            ? throw UnableToServe::descriptorsInherited($inherited, self::SELECT_END)
            : new self('select', self::allowed($most));
    }

    public function make(): LoopInterface
    {
        return match ($this->name) {
            'ext-event' => new ExtEventLoop,
            'ext-ev' => new ExtEvLoop,
            'ext-uv' => new ExtUvLoop,
            default => new StreamSelectLoop,
        };
    }

    /** A process inherits what its parent had open, and a new descriptor gets the lowest number that is free. */
    private static function inherited(): int
    {
        $open = @scandir('/proc/self/fd');
        $open = $open === false ? @scandir('/dev/fd') : $open;

        return count(array_filter(
            $open === false ? [] : $open,
            static fn (string $name): bool => ctype_digit($name) && (int) $name < self::SELECT_END,
        ));
    }

    /** A tenth is left for files. */
    private static function allowed(int $most): int
    {
        $limits = function_exists('posix_getrlimit') ? posix_getrlimit() : false;
        $soft = is_array($limits) ? $limits['soft openfiles'] ?? null : null;

        return is_int($soft) ? max(self::LEAST_DESCRIPTORS, min($most, $soft - max(20, intdiv($soft, 10)))) : $most;
    }
}
