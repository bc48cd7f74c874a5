<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

use PhpToken;

/**
 * Wraps comments that have lines of their own, and gives one to a comment behind code when the line is too wide.
 *
 * @internal
 */
final readonly class CommentWrapper
{
    public function wrap(string $code): string
    {
        $wrapped = '';
        $copied = 0;
        $tokens = PhpToken::tokenize($code);

        foreach ($tokens as $i => $token) {
            if (! $token->is([T_COMMENT, T_DOC_COMMENT]) || $token->pos < $copied) {
                continue;
            }

            $start = self::lineStart($code, $token->pos);
            $before = substr($code, $start, $token->pos - $start);
            $end = $token->pos + strlen($token->text);

            if (trim($before) !== '') {
                if (self::isTrailing($code, $token, $start) && $start >= $copied && self::isOnOneLine($tokens, $i)) {
                    $indent = substr($before, 0, strspn($before, ' '));
                    $wrapped .= substr($code, $copied, $start - $copied).$indent.$token->text."\n".rtrim($before);
                    $copied = $end;
                }

                continue;
            }

            $comment = $token->text;

            if (str_starts_with($comment, '//')) {
                [$end, $comment] = self::run($code, $token->pos, $before);
            }

            $wrapped .= substr($code, $copied, $token->pos - $copied).self::comment($comment, $before);
            $copied = $end;
        }

        return $wrapped.substr($code, $copied);
    }

    private static function lineStart(string $code, int $position): int
    {
        return (int) strrpos("\n".substr($code, 0, $position), "\n");
    }

    private static function isTrailing(string $code, PhpToken $token, int $start): bool
    {
        return str_starts_with($token->text, '//')
            && ! str_contains($token->text, '@phpstan-ignore')
            && mb_strlen(substr($code, $start, $token->pos - $start).$token->text) > LineBreaker::WIDTH;
    }

    /**
     * Whether the line with this token starts outside of any string.
     *
     * @param array<PhpToken> $tokens
     */
    private static function isOnOneLine(array $tokens, int $i): bool
    {
        while (--$i >= 0) {
            if (str_contains($tokens[$i]->text, "\n")) {
                return $tokens[$i]->is([T_WHITESPACE, T_DOC_COMMENT, T_COMMENT]);
            }
        }

        return true;
    }

    /** @return array{int, string} where the `//` lines end that follow each other, and their text */
    private static function run(string $code, int $position, string $indent): array
    {
        preg_match('~\G//[^\n]*(\n'.preg_quote($indent, '~').'//[^\n]*)*~', $code, $match, 0, $position);
        $text = $match[0] ?? '';

        return [$position + strlen($text), $text];
    }

    private static function comment(string $comment, string $indent): string
    {
        $width = max(array_map(mb_strlen(...), explode("\n", $indent.$comment)));

        if ($width <= LineBreaker::WIDTH) {
            return $comment;
        }

        return match (true) {
            str_starts_with($comment, '//') => self::lines($comment, $indent),
            preg_match('~\A/\*\*?(\s[^\n]*\*/\z|\n\s*\*)~', $comment) === 1 => self::block($comment, $indent),
            default => $comment,
        };
    }

    private static function lines(string $comment, string $indent): string
    {
        $texts = array_map(
            static fn (string $line): string => (string) preg_replace('~^\s*// ?~', '', $line),
            explode("\n", $comment),
        );
        $wrapped = (new Prose(LineBreaker::WIDTH - strlen($indent) - 3))->wrap($texts);

        return implode("\n{$indent}", array_map(static fn (string $text): string => rtrim("// {$text}"), $wrapped));
    }

    private static function block(string $comment, string $indent): string
    {
        $open = str_starts_with($comment, '/**') ? '/**' : '/*';
        $body = substr($comment, strlen($open), -2);
        $texts = array_map(
            static fn (string $line): string => rtrim((string) preg_replace('~^\s*\* ?~', '', $line)),
            explode("\n", $body),
        );

        if (trim($texts[0]) === '') {
            array_shift($texts);
        } else {
            $texts[0] = ltrim($texts[0]);
        }

        if ($texts !== [] && trim($texts[count($texts) - 1]) === '') {
            array_pop($texts);
        }

        $wrapped = (new Prose(LineBreaker::WIDTH - strlen($indent) - 3))->wrap($texts);
        $lines = array_map(static fn (string $text): string => rtrim("{$indent} * {$text}"), $wrapped);

        return $open."\n".implode("\n", $lines)."\n{$indent} */";
    }
}
