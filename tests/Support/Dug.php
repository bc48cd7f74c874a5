<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

/**
 * Reads a member deep in a JSON document.
 */
final readonly class Dug
{
    /** @return mixed null where there is no such thing */
    public static function out(mixed $document, string|int ...$path): mixed
    {
        foreach ($path as $key) {
            $document = is_array($document) ? $document[$key] ?? null : null;
        }

        return $document;
    }

    public static function json(string $text, string|int ...$path): mixed
    {
        return self::out(json_decode($text, true), ...$path);
    }
}
