<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

/**
 * A message between a supervisor and a worker: one line of JSON with a type and an optional content.
 *
 * @internal
 */
final readonly class Message
{
    public function __construct(public string $type, public mixed $content = null) {}

    /** @return ?self null for any other line, such as output of a library */
    public static function parse(string $line): ?self
    {
        $members = json_decode($line, true);
        $type = is_array($members) ? $members['type'] ?? null : null;

        return is_string($type) ? new self($type, $members['content'] ?? null) : null;
    }

    public function line(): string
    {
        $members = $this->content === null ? [] : ['content' => $this->content];

        return json_encode(
            ['type' => $this->type, ...$members],
            JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES,
        )."\n";
    }
}
