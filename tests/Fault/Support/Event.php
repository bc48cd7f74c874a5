<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use RuntimeException;

/**
 * An event whose content follows from its id, so that the receiver can check that it is intact.
 */
final readonly class Event
{
    /** Of an id whose event has next to no body. */
    public const SMALL = 'small ';

    /** @return array{id: string, body: string} */
    public static function of(string $id): array
    {
        return ['id' => $id, 'body' => self::body($id)];
    }

    public static function idOf(string $id, string $body): string
    {
        return $body === self::body($id)
            ? $id
            : throw new RuntimeException("Event {$id} arrived with another body than it left with.");
    }

    /** One in sixteen spans several pages of memory: only these can be torn by a kill. */
    private static function body(string $id): string
    {
        $hash = hash('sha256', $id);

        if (str_starts_with($id, self::SMALL)) {
            return substr($hash, 0, 8);
        }

        $number = crc32($id);

        return str_repeat($hash, 1 + ($number % 16 === 0 ? $number % 400 : $number % 4));
    }
}
