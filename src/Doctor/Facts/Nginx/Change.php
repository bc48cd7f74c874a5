<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Nginx;

use Headroom\Doctor\Edit;

use function array_values;
use function explode;
use function file_get_contents;
use function preg_match;
use function preg_replace;
use function rtrim;
use function trim;

/**
 * Changes of a configuration as edits of lines; null where the directive shares its line with something else, or its file can not be read.
 *
 * @internal
 */
final readonly class Change
{
    public static function to(Directive $said, string $text): ?Edit
    {
        $line = self::line($said->file, $said->line);

        return $line === null || ! self::isAlone($line, $said) ? null : Edit::replace($said->file, $said->line, $line, preg_replace('/\S.*\z/', '', $line)."{$text};");
    }

    public static function without(Directive $said): ?Edit
    {
        $line = self::line($said->file, $said->line);

        return $line === null || ! self::isAlone($line, $said) ? null : Edit::remove($said->file, $said->line, $line);
    }

    /** Before a directive, in its block. */
    public static function before(Directive $said, string $text): ?Edit
    {
        $line = self::line($said->file, $said->line);

        return $line === null || ! self::isAlone($line, $said) ? null : Edit::insert($said->file, $said->line, preg_replace('/\S.*\z/', '', $line)."{$text};");
    }

    /**
     * That nginx keeps no connection at these places: by the lines that say so, each once.
     *
     * @return list<Edit>
     */
    public static function toKeepNone(FastcgiPass ...$passes): array
    {
        $edits = [];

        foreach ($passes as $pass) {
            $kept = array_map(static fn (Upstream $upstream): ?Directive => $upstream->keepalive->said, $pass->targets->upstreams());

            foreach ([
                $pass->keepConn->said === null ? null : self::to($pass->keepConn->said, 'fastcgi_keep_conn off'),
                ...array_map(static fn (?Directive $said): ?Edit => $said === null ? null : self::without($said), $kept),
            ] as $edit) {
                if ($edit !== null) {
                    $edits["{$edit->file}:{$edit->line}"] = $edit;
                }
            }
        }

        return array_values($edits);
    }

    private static function line(string $file, int $line): ?string
    {
        $text = is_file($file) ? @file_get_contents($file) : false;
        $seen = $text === false ? null : explode("\n", $text)[$line - 1] ?? null;

        return $seen === null ? null : rtrim($seen, "\r");
    }

    private static function isAlone(string $line, Directive $said): bool
    {
        return preg_match('/\A\s*'.preg_quote($said->name, '/').'\s[^;{}]*;\s*(?:#.*)?\z/', $line) === 1 && trim($line) !== '';
    }
}
