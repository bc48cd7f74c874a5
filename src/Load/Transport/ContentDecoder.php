<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

/**
 * Decodes a body that comes in pieces: the codings of Content-Encoding, and those of Transfer-Encoding but chunked.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-8.4
 *
 * @internal
 */
final class ContentDecoder
{
    /** Limit of one decoded body: a few kilobytes of gzip can become gigabytes. */
    public const MOST_BYTES = 16_777_216;

    private const MOST_CODINGS = 5;

    private const HEADER = '/^(?:content-encoding|transfer-encoding)[ \t]*+:([^\n]*+(?:\n[ \t][^\n]*+)*+)/mi';

    private int $bytes = 0;

    private bool $isEmpty = true;

    private ?UnableToDecode $failure = null;

    /**
     * @param list<Decompressor> $steps in the order of decoding: the coding that was applied last comes first
     * @param bool $hasUnknown whether the head names an unknown coding, which is ignored
     */
    private function __construct(
        private readonly string $codings,
        private readonly array $steps,
        private readonly bool $hasUnknown,
    ) {}

    /** @return ?self null when the body has no coding */
    public static function of(string $head): ?self
    {
        if (stripos($head, '-encoding') === false) {
            return null;
        }

        preg_match_all(self::HEADER, $head, $fields);
        $words = array_map(trim(...), explode(',', strtolower(implode(',', $fields[1]))));
        $codings = array_values(array_diff($words, ['', 'identity', 'chunked']));

        if ($codings === []) {
            return null;
        }

        $text = implode(', ', $codings);
        // Some servers name a character set as the coding, and send plain bytes.
        $known = array_values(array_filter($codings, Decompressor::knows(...)));

        try {
            $steps = count($codings) > self::MOST_CODINGS
                ? throw UnableToDecode::tooMany(self::MOST_CODINGS)
                : array_map(Decompressor::of(...), array_reverse($known));
        } catch (UnableToDecode $e) {
            $decoder = new self($text, [], false);
            $decoder->failure = $e;

            return $decoder;
        }

        return new self($text, $steps, $known !== $codings);
    }

    /** The codings, in the order in which the server applied them. */
    public function codings(): string
    {
        return $this->codings;
    }

    /** @return string the decoded bytes; empty after a failure */
    public function decode(string $piece): string
    {
        $this->isEmpty = $this->isEmpty && $piece === '';
        $decoded = '';

        if ($this->steps === [] && $this->failure === null) {
            return $piece;
        }

        // In steps of the first coding, so that the decoded size of one step stays small.
        $isRead = $this->failure === null && $piece !== '';

        foreach ($isRead ? str_split($piece, $this->steps[0]->stepBytes()) : [] as $part) {
            try {
                $decoded .= $this->through($part);
            } catch (UnableToDecode $e) {
                $this->failure ??= $e;

                break;
            }
        }

        return $decoded;
    }

    /** After the whole body: why it could not be decoded; null when it could. */
    public function failure(): ?UnableToDecode
    {
        if ($this->failure !== null || $this->isEmpty) {
            // An empty body, as of HEAD, has no coding.
            return $this->isEmpty ? null : $this->failure;
        }

        foreach ($this->steps as $step) {
            if (! $step->isWhole()) {
                return UnableToDecode::cutShort();
            }
        }

        return null;
    }

    /** Why a text may be in the body without being found. */
    public function obstacle(): ?UnableToDecode
    {
        return $this->failure() ?? ($this->hasUnknown && ! $this->isEmpty ? UnableToDecode::unknown() : null);
    }

    private function through(string $part): string
    {
        foreach ($this->steps as $step) {
            $whole = '';

            foreach ($part === '' ? [] : str_split($part, $step->stepBytes()) as $piece) {
                $whole .= $step->add($piece);
                $this->limit(strlen($whole));
            }

            $part = $whole;
        }

        $this->bytes += strlen($part);
        $this->limit($this->bytes);

        return $part;
    }

    private function limit(int $bytes): void
    {
        if ($bytes > self::MOST_BYTES) {
            throw UnableToDecode::tooLarge(self::MOST_BYTES);
        }
    }
}
