<?php

declare(strict_types=1);

namespace Headroom\Load\Run;

use Headroom\Load\Http\Receiver;

/**
 * What somebody wants of answers' bodies: their beginning, or whether a text is in them.
 *
 * @internal
 */
final class Reading implements Receiver
{
    private string $body = '';

    private function __construct(private readonly int $keepBytes, private readonly ?Search $search) {}

    /** @return ?self null when nothing of them is wanted */
    public static function of(int $keepBytes, ?string $text): ?self
    {
        $search = $text === null || $text === '' ? null : new Search($text);

        return $keepBytes === 0 && $search === null ? null : new self($keepBytes, $search);
    }

    public function begin(): void
    {
        $this->body = '';
        $this->search?->begin();
    }

    public function receive(string $piece): void
    {
        $missing = $this->keepBytes - strlen($this->body);

        if ($missing > 0) {
            $this->body .= substr($piece, 0, $missing);
        }

        $this->search?->read($piece);
    }

    /** Its beginning, as much as is kept. */
    public function body(): string
    {
        return $this->body;
    }

    public function isAsExpected(): bool
    {
        return $this->search === null || $this->search->isFound();
    }
}
