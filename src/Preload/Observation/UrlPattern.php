<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

/**
 * The pattern of a URL: /posts/5?page=2 and /posts/7?page=1 both have /posts/*?page.
 *
 * @internal
 */
final readonly class UrlPattern
{
    /** Numbers, UUIDs, ULIDs, hashes. */
    private const ID = '/\A(?:\d+|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
        .'|[0-7][0-9a-hjkmnp-tv-z]{25}|[0-9a-f]{16,})\z/i';

    /** @param string $target path and query */
    public static function of(string $target): string
    {
        [$path, $query] = [...explode('?', $target, 2), ''];
        $segments = array_map(
            static fn (string $segment): string => preg_match(self::ID, $segment) === 1 ? '*' : $segment,
            explode('/', $path),
        );

        return implode('/', $segments).self::names($query);
    }

    private static function names(string $query): string
    {
        $names = [];

        foreach ($query === '' ? [] : explode('&', $query) as $pair) {
            $names[explode('=', $pair, 2)[0]] = true;
        }

        ksort($names);

        return $names === [] ? '' : '?'.implode('&', array_keys($names));
    }
}
