<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Nginx;

/**
 * One configuration as different people lay it out. nginx reads all of them alike.
 */
final readonly class Layouts
{
    /**
     * @param string $text one directive or brace a line
     * @return array<string, string>
     */
    public static function of(string $text): array
    {
        $lines = array_values(
            array_filter(array_map(trim(...), explode("\n", $text)), static fn (string $line): bool => $line !== ''),
        );
        $indented = self::indented($lines);
        $comment = ' # was { off; } "before';

        return [
            'a directive a line' => $indented,
            'all on one line' => implode(' ', $lines),
            'without a blank' => str_replace(['; ', '{ ', '} '], [';', '{', '}'], implode(' ', $lines)),
            'blocks on one line' => preg_replace_callback(
                '/\{[^{}]*\}/',
                static fn (array $m): string => (string) preg_replace('/\s*\n\s*/', ' ', $m[0]),
                $indented,
            ) ?? '',
            'a word a line' => implode("\n", array_map(self::words(...), $lines)),
            'tabs and CRLF' => str_replace(["\n", '    '], ["\r\n", "\t"], $indented),
            'comments' => "{$comment}\n".implode("{$comment}\n", $lines)."{$comment}\n",
            'two a line' => self::inPairs($lines),
            'braces below' => str_replace(' {', "\n{", $indented),
        ];
    }

    /** @param list<string> $lines */
    private static function indented(array $lines): string
    {
        $text = '';
        $depth = 0;

        foreach ($lines as $line) {
            $depth -= $line === '}' ? 1 : 0;
            $text .= str_repeat('    ', $depth)."{$line}\n";
            $depth += str_ends_with($line, '{') ? 1 : 0;
        }

        return $text;
    }

    private static function words(string $line): string
    {
        preg_match_all('/"[^"]*"|\'[^\']*\'|(?:\$\{|[^\s;{}"\'])+|[;{}]/', $line, $words);

        return implode("\n  ", $words[0]);
    }

    /** @param list<string> $lines */
    private static function inPairs(array $lines): string
    {
        $text = '';

        foreach ($lines as $number => $line) {
            $text .= $line.($number % 2 === 0 ? '  ' : "\n");
        }

        return $text;
    }
}
