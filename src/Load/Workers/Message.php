<?php

declare(strict_types=1);

namespace Headroom\Load\Workers;

/**
 * What the processes of one run say to each other: a word and JSON, on one line.
 *
 * @internal
 */
final readonly class Message
{
    public function __construct(public MessageType $word, public mixed $content = null) {}

    /** @return ?self null when it is something else, such as a warning of PHP */
    public static function parse(string $line): ?self
    {
        $parts = explode(' ', $line, 2);
        $word = MessageType::tryFrom($parts[0]);

        return $word === null ? null : new self($word, json_decode($parts[1] ?? '', true));
    }

    public function line(): string
    {
        return $this->word->value.' '
            .json_encode($this->content, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES)
            ."\n";
    }
}
