<?php

declare(strict_types=1);

namespace Headroom\Load\Run;

use Headroom\Load\Request;
use Headroom\Load\Transport\BodyListener;
use Headroom\Load\Transport\ContentDecoder;
use Headroom\Load\WrongBody;
use Headroom\Support\TerminalText;

/**
 * What somebody wants of answers' bodies: their beginning, or whether a text is in them.
 *
 * @internal
 */
final class Reading implements BodyListener
{
    private const SHOWN_BYTES = 60;

    private string $body = '';

    private ?ContentDecoder $decoder = null;

    /** What is wanted was there before the end of the body, and the rest was not looked at. */
    private bool $isDone = false;

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
        $this->decoder = null;
        $this->isDone = false;
        $this->search?->begin();
    }

    public function expect(string $head): void
    {
        $this->decoder = ContentDecoder::of($head);
    }

    public function receive(string $piece): void
    {
        if ($this->decoder !== null) {
            if ($this->isDone) {
                return;
            }

            $piece = $this->decoder->decode($piece);
        }

        $missing = $this->keepBytes - strlen($this->body);

        if ($missing > 0) {
            $this->body .= substr($piece, 0, $missing);
        }

        $this->search?->read($piece);
        $this->isDone = strlen($this->body) >= $this->keepBytes && $this->isAsExpected();
    }

    /** What is wrong with it, where a text has to be in it. */
    public function wrong(Request $request): ?WrongBody
    {
        if ($this->isAsExpected()) {
            return null;
        }

        $obstacle = $this->obstacle($request);

        if ($obstacle !== null) {
            return WrongBody::notDecoded($obstacle);
        }

        return WrongBody::without(
            $this->decoder === null ? 'the body' : "the body, decoded from {$this->codings()},",
        );
    }

    /**
     * Why what was sought is not found, or may be cut off; null when all of it, or what was wanted of it,
     * has been read.
     */
    public function obstacle(Request $request, bool $isFound = false): ?string
    {
        $failure = match (true) {
            $this->isDone => null,
            $isFound => $this->decoder?->failure(),
            default => $this->decoder?->obstacle(),
        };

        if ($this->decoder === null || $failure === null) {
            return null;
        }

        $step = $request->hasHeader('Accept-Encoding')
            ? 'Remove the header Accept-Encoding from the request'
            : "The request did not ask for it: add the header 'Accept-Encoding: identity'";

        return "the body is compressed ({$this->codings()}), and {$failure->getMessage()}. {$step}";
    }

    /** How much of it was looked at, in words behind what was not found. */
    public function extent(): string
    {
        $part = strlen($this->body) < $this->keepBytes
            ? 'the body'
            : 'the first '.number_format($this->keepBytes).' bytes of the body';

        return $this->decoder === null ? $part : "{$part}, decoded from {$this->codings()},";
    }

    private function codings(): string
    {
        return TerminalText::name($this->decoder?->codings() ?? '', self::SHOWN_BYTES);
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
