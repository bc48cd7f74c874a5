<?php

declare(strict_types=1);

namespace Headroom\Load\Executor;

use Headroom\Load\Metrics\FailedCheck;
use Headroom\Load\Request;
use Headroom\Load\Transport\BodyListener;
use Headroom\Load\Transport\ContentDecoder;
use Headroom\Support\TerminalText;

/**
 * Decodes a response body, keeps its first bytes and searches it for a text.
 *
 * @internal
 */
final class BodyCapture implements BodyListener
{
    private const SHOWN_BYTES = 60;

    private string $body = '';

    private ?ContentDecoder $decoder = null;

    /** Everything wanted was found before the end of a compressed body, and the rest was not decoded. */
    private bool $isDone = false;

    private function __construct(private readonly int $keepBytes, private readonly ?BodyMatcher $matcher) {}

    /** @return ?self null if nothing of the body is needed */
    public static function of(int $keepBytes, ?string $text): ?self
    {
        $matcher = $text === null || $text === '' ? null : new BodyMatcher($text);

        return $keepBytes === 0 && $matcher === null ? null : new self($keepBytes, $matcher);
    }

    public function reset(): void
    {
        $this->body = '';
        $this->decoder = null;
        $this->isDone = false;
        $this->matcher?->reset();
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

        $this->matcher?->read($piece);
        $this->isDone = strlen($this->body) >= $this->keepBytes && $this->matches();
    }

    /** @return ?FailedCheck null if the body contains the expected text */
    public function failedCheck(Request $request): ?FailedCheck
    {
        if ($this->matches()) {
            return null;
        }

        $obstacle = $this->obstacle($request);

        if ($obstacle !== null) {
            return FailedCheck::notDecoded($obstacle);
        }

        return FailedCheck::unexpectedBody(
            $this->decoder === null ? 'the body' : "the body, decoded from {$this->codings()},",
        );
    }

    /**
     * @param bool $isFound whether the wanted value was found; then only a broken coding is an obstacle
     * @return ?string the reason why the body was not decoded to its end; null if it was, or did not need to be
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

    /** The part of the body that was searched, for an error message. */
    public function extent(): string
    {
        $part = strlen($this->body) < $this->keepBytes
            ? 'the body'
            : 'the first '.number_format($this->keepBytes).' bytes of the body';

        return $this->decoder === null ? $part : "{$part}, decoded from {$this->codings()},";
    }

    /** Its first bytes. */
    public function body(): string
    {
        return $this->body;
    }

    private function codings(): string
    {
        return TerminalText::name($this->decoder?->codings() ?? '', self::SHOWN_BYTES);
    }

    private function matches(): bool
    {
        return $this->matcher === null || $this->matcher->isFound();
    }
}
