<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

/**
 * Takes the codings off a body that comes in pieces: of Content-Encoding, and of Transfer-Encoding beside chunked.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-8.4
 *
 * @internal
 */
final class ContentDecoder
{
    /** What one answer may grow to. A few kilobytes of gzip can be gigabytes. */
    public const MOST_BYTES = 16_777_216;

    private const MOST_CODINGS = 5;

    private const HEADER = '/^(?:content-encoding|transfer-encoding)[ \t]*+:([^\n]*+(?:\n[ \t][^\n]*+)*+)/mi';

    private int $bytes = 0;

    private bool $isEmpty = true;

    private ?UnableToDecode $failure = null;

    /**
     * @param list<Decompressor> $steps the last coding that was put on is taken off first
     * @param bool $hasUnknown whether another coding is named, with which the bytes are left as they are
     */
    private function __construct(
        private readonly string $codings,
        private readonly array $steps,
        private readonly bool $hasUnknown,
    ) {}

    /** @return ?self null when the answer is as it is */
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
        // Some servers call a character set, or nothing, a coding: the bytes may be plain all the same.
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

    /** Its codings, in the order in which they were put on. */
    public function codings(): string
    {
        return $this->codings;
    }

    /** @return string what is decoded so far of it; nothing more after a failure */
    public function decode(string $piece): string
    {
        $this->isEmpty = $this->isEmpty && $piece === '';
        $decoded = '';

        if ($this->steps === [] && $this->failure === null) {
            return $piece;
        }

        // No longer than the first coding takes, so that what one part grows to stays small.
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

    /** After the whole body: why it is not decoded; null when it is. */
    public function failure(): ?UnableToDecode
    {
        if ($this->failure !== null || $this->isEmpty) {
            // A body of no bytes, as of HEAD, is of no coding.
            return $this->isEmpty ? null : $this->failure;
        }

        foreach ($this->steps as $step) {
            if (! $step->isWhole()) {
                return UnableToDecode::cutShort();
            }
        }

        return null;
    }

    /** Why what is sought may be there and not be seen. */
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
