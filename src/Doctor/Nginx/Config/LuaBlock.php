<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

/**
 * A block of OpenResty's Lua, which nginx's grammar does not hold for: braces in its strings and comments do not count.
 *
 * @link https://github.com/openresty/lua-nginx-module#content_by_lua_block
 *
 * @internal
 */
final readonly class LuaBlock
{
    private function __construct(public string $code, public bool $closed) {}

    public static function isNamed(string $directive): bool
    {
        return str_ends_with($directive, '_by_lua_block');
    }

    /** @param int $at after the opening brace */
    public static function read(string $text, int $at): self
    {
        $end = self::end($text, $at);

        return new self(substr($text, $at, $end === null ? null : $end - $at), $end !== null);
    }

    /** @return ?int where the closing brace stands; null when there is none */
    private static function end(string $text, int $at): ?int
    {
        $length = strlen($text);
        $depth = 1;

        while (($at += strcspn($text, "{}'\"-[", $at)) < $length) {
            $character = $text[$at];

            if ($character === '}' && --$depth === 0) {
                return $at;
            }

            $depth += $character === '{' ? 1 : 0;
            $at = match (true) {
                $character === '"', $character === "'" => self::afterString($text, $at),
                $character === '[' => self::afterLongBracket($text, $at) ?? $at + 1,
                substr($text, $at, 2) === '--' => self::afterLongBracket($text, $at + 2)
                    ?? $at + strcspn($text, "\n", $at),
                default => $at + 1,
            };
        }

        return null;
    }

    /** A string ends with its line, closed or not. */
    private static function afterString(string $text, int $at): int
    {
        $quote = $text[$at++];

        while (($at += strcspn($text, "{$quote}\\\n", $at)) < strlen($text) && $text[$at] === '\\') {
            $at += 2;
        }

        return $at + 1;
    }

    /** After [[...]], [=[...]=] and so on; null where no such bracket opens. */
    private static function afterLongBracket(string $text, int $at): ?int
    {
        $level = strspn($text, '=', min($at + 1, strlen($text)));

        if (($text[$at] ?? '') !== '[' || ($text[$at + 1 + $level] ?? '') !== '[') {
            return null;
        }

        $closing = ']'.str_repeat('=', $level).']';
        $end = strpos($text, $closing, $at + $level + 2);

        return $end === false ? strlen($text) : $end + strlen($closing);
    }
}
