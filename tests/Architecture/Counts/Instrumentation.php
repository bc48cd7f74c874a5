<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Counts;

use PhpToken;

/**
 * Puts a call of the recorder at the start of the body of each function, method and closure; lines keep their numbers.
 * An arrow function has no body, and what it calls is visited.
 */
final readonly class Instrumentation
{
    private const CALL = ' \\'.Recorder::class.'::visit();';

    public static function of(string $code): string
    {
        $text = '';
        $isHead = false;
        $depth = 0;
        $before = null;

        foreach (PhpToken::tokenize($code) as $token) {
            $text .= $token->text;

            if ($token->is(T_FUNCTION)) {
                // "use function" declares none.
                $isHead = $before?->is(T_USE) !== true;
                $depth = 0;
            }

            $depth += $token->is(['(', '[', T_ATTRIBUTE]) ? 1 : ($token->is([')', ']']) ? -1 : 0);

            if ($isHead && $depth === 0 && $token->is(['{', ';'])) {
                $text .= $token->is('{') ? self::CALL : '';
                $isHead = false;
            }

            $before = $token->isIgnorable() ? $before : $token;
        }

        return $text;
    }
}
