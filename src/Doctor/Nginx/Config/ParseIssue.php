<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

use Headroom\Support\Utf8Cut;

/**
 * A place in a configuration that nginx would refuse or that could not be read; what stands around
 * it is read all the same.
 *
 * @internal
 */
final readonly class ParseIssue
{
    private const SHOWN = 60;

    /** @param bool $isLost what stands there is not known; else it is read as far as it goes */
    private function __construct(
        public string $file,
        public int $line,
        public string $token,
        public string $message,
        public bool $isLost = false,
    ) {}

    public static function unexpected(string $file, int $line, string $token): self
    {
        return new self($file, $line, $token, 'unexpected "'.self::shown($token).'"');
    }

    public static function strayBrace(string $file, int $line): self
    {
        return new self($file, $line, '}', 'unexpected "}": no block is open in this file');
    }

    public static function byteOrderMark(string $file): self
    {
        return new self(
            $file,
            1,
            "\u{FEFF}",
            'the file begins with a byte order mark, which nginx takes for part of the first name; save it without',
        );
    }

    public static function unclosedQuote(string $file, int $line, string $quote): self
    {
        return new self(
            $file,
            $line,
            $quote,
            "the {$quote} that opens here is not closed; it is read to the end of its line",
        );
    }

    public static function unclosedBlock(Directive $block, string $before): self
    {
        return new self(
            $block->file,
            $block->line,
            self::shown($block->text()),
            'the block "'.self::shown($block->text())."\" that opens here is not closed before {$before}",
        );
    }

    /** @param string $before what was seen instead */
    public static function noSemicolon(string $file, int $line, string $name, string $before): self
    {
        return new self(
            $file,
            $line,
            $name,
            '"'.self::shown($name).'" is not ended by ";" before '.self::shown($before),
        );
    }

    public static function noBlock(string $file, int $line, string $name): self
    {
        return new self($file, $line, $name, '"'.self::shown($name).'" has no opening "{"');
    }

    public static function count(string $file, int $line, string $name, int $seen): self
    {
        return new self(
            $file,
            $line,
            $name,
            '"'.self::shown($name)."\" does not take {$seen} ".($seen === 1 ? 'argument' : 'arguments'),
        );
    }

    public static function notAllowed(string $file, int $line, string $name, string $in): self
    {
        return new self($file, $line, $name, '"'.self::shown($name)."\" is not allowed in {$in}");
    }

    /** @param int $limit bytes */
    public static function tooLong(string $file, int $line, string $word, int $limit): self
    {
        return new self(
            $file,
            $line,
            self::shown($word),
            'what begins with "'.self::shown($word)."\" is longer than the {$limit} bytes that nginx takes",
            true,
        );
    }

    public static function tooDeep(Directive $block, int $limit): self
    {
        return new self(
            $block->file,
            $block->line,
            self::shown($block->text()),
            "blocks are nested more than {$limit} deep; what this one holds is not read",
            true,
        );
    }

    public static function notRead(string $file, int $line, string $included, string $reason): self
    {
        return new self($file, $line, $included, "\"{$included}\" is not read: {$reason}", true);
    }

    public static function notIncluded(string $file): self
    {
        return new self(
            $file,
            1,
            $file,
            'nginx printed this file, and no include that is read names it; it is not read',
            true,
        );
    }

    public static function more(self $last, int $count): self
    {
        return new self(
            $last->file,
            $last->line,
            $last->token,
            "{$count} more places cannot be read; the last of them: {$last->message}",
            true,
        );
    }

    public function where(): string
    {
        return "{$this->file}:{$this->line}";
    }

    public function text(): string
    {
        return "{$this->message} in {$this->where()}";
    }

    private static function shown(string $token): string
    {
        $short = strlen($token) > self::SHOWN ? Utf8Cut::cut($token, self::SHOWN).'...' : $token;

        return addcslashes($short, "\0..\37");
    }
}
