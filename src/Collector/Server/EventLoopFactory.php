<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use React\EventLoop\ExtEventLoop;
use React\EventLoop\ExtEvLoop;
use React\EventLoop\ExtUvLoop;
use React\EventLoop\LoopInterface;
use React\EventLoop\StreamSelectLoop;

/**
 * Chooses the best event loop of this PHP, and knows its file descriptor limit.
 *
 * @internal
 */
final readonly class EventLoopFactory
{
    /** select() knows no descriptor from 1,024 on, and PHP's loop receives nothing more after it is given one. */
    private const SELECT_END = 1_024;

    private const SELECT_DESCRIPTORS = 900;

    /** Descriptors for files, listening sockets and the supervisor's channel. */
    private const SELECT_RESERVE = 100;

    private const MIN_DESCRIPTORS = 16;

    private const MAX_DESCRIPTORS = 20_000;

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
                return new self("ext-{$extension}", self::allowed(self::MAX_DESCRIPTORS));
            }
        }

        $inherited = self::inherited();
        $most = min(self::SELECT_DESCRIPTORS, self::SELECT_END - self::SELECT_RESERVE - $inherited);

        return $most < self::MIN_DESCRIPTORS
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

    /** A process inherits the open descriptors of its parent, and a new one gets the lowest free number. */
    private static function inherited(): int
    {
        $open = @scandir('/proc/self/fd');
        $open = $open === false ? @scandir('/dev/fd') : $open;

        return count(array_filter(
            $open === false ? [] : $open,
            static fn (string $name): bool => ctype_digit($name) && (int) $name < self::SELECT_END,
        ));
    }

    /** Leaves a tenth for files. */
    private static function allowed(int $most): int
    {
        $limits = function_exists('posix_getrlimit') ? posix_getrlimit() : false;
        $soft = is_array($limits) ? $limits['soft openfiles'] ?? null : null;

        return is_int($soft) ? max(self::MIN_DESCRIPTORS, min($most, $soft - max(20, intdiv($soft, 10)))) : $most;
    }
}
