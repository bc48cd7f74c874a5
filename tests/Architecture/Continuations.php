<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PhpToken;

/**
 * The lines that only go on with a statement: the items of a list, its closing bracket, and those that begin with an
 * operator. The limit of a function does not count them, as it limits how many steps a reader has to follow, and a
 * statement is one step however it is wrapped. The limit of a file counts every line. A closure's body has statements
 * of its own.
 */
final readonly class Continuations
{
    private const OPENING = ['(', '[', '{', T_ATTRIBUTE, T_CURLY_OPEN, T_DOLLAR_OPEN_CURLY_BRACES];

    private const OPERATORS = [
        T_OBJECT_OPERATOR, T_NULLSAFE_OBJECT_OPERATOR, T_BOOLEAN_AND, T_BOOLEAN_OR, T_COALESCE, T_DOUBLE_ARROW,
        T_SPACESHIP,
        T_IS_IDENTICAL, T_IS_NOT_IDENTICAL, '?', ':', '.', '+', '-', '*', '/',
    ];

    /**
     * @param list<PhpToken> $tokens without blanks and comments
     * @return array<int, true> by number of the line
     */
    public static function in(array $tokens): array
    {
        $lines = [];
        $open = [];
        $line = 0;

        foreach ($tokens as $at => $token) {
            $isFirst = $token->line > $line;
            $isInList = $open !== [] && ! $open[count($open) - 1]->is(['{', T_CURLY_OPEN, T_DOLLAR_OPEN_CURLY_BRACES]);

            if (
                $isFirst
                && ($isInList || $token->is(self::OPERATORS) || ($tokens[$at - 1] ?? null)?->is('=') === true)
            ) {
                $lines[$token->line] = true;
            }

            $line = $token->line + substr_count($token->text, "\n");

            if ($token->is(self::OPENING)) {
                $open[] = $token;
            }

            if ($token->is([')', ']', '}'])) {
                array_pop($open);
            }
        }

        return $lines;
    }
}
