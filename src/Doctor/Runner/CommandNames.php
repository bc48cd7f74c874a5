<?php

declare(strict_types=1);

namespace Headroom\Doctor\Runner;

use Headroom\Doctor\CheckText;

/**
 * The commands of a report, as a user types them. Checks write `headroom doctor` and `artisan config:cache`, and each
 * text of a report passes through here.
 *
 * @internal
 */
final readonly class CommandNames
{
    private const ARTISAN = '~(?<![\w/.:$-])(php[\d.]* +)?artisan (?=[a-z][\w:-]*)~';

    private const HEADROOM = '~(?<![\w/.:-])headroom (?=(?:doctor|logs|load|preload|collect|bench)\b(?!: ))~';

    /** @param string $headroom before the name of a command of this package */
    public function __construct(private string $headroom = 'headroom ') {}

    /** @param string $id of the check that is to run again */
    public function verifying(string $id): string
    {
        return $this->in(CheckText::command($id));
    }

    /** @param string $text a command, or prose that may contain commands */
    public function in(string $text): string
    {
        $text = (string) preg_replace_callback(
            self::ARTISAN,
            static fn (array $m): string => ($m[1] ?? '') === '' ? "php {$m[0]}" : $m[0],
            $text,
        );

        return (string) preg_replace(self::HEADROOM, $this->headroom, $text);
    }
}
