<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

/**
 * Reads the answer to one request from its bytes as they come, and keeps no more of it than its head. It takes what
 * other clients take: what a server gets wrong beside the answer's length is the server's affair.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-6
 *
 * @internal
 */
final class AnswerReader
{
    private const LINE_BYTES = 102_400;

    private const HEAD_BYTES = 307_200;

    private const UNTIL_CLOSE = -1;

    private const STATUS_LINE = '/\AHTTP\/1\.(\d) ([1-9]\d\d)(?: |\r?\n)/';

    /** Some servers end their lines without a carriage return. */
    private const BLANK_LINE = '/\n\r?\n/';

    /**
     * Those that say where the answer ends, and what becomes of the connection. A value goes on in lines
     * that begin with a space.
     */
    private const FRAMING = '/^(content-length|transfer-encoding|connection)[ \t]*+:([^\n]*+(?:\n[ \t][^\n]*+)*+)/mi';

    private Exchange $exchange;

    /** A head that is not whole yet. */
    private string $buffer = '';

    /** Of interim answers. */
    private int $headBytes = 0;

    /** Where the last line in the buffer begins, and how far ends of lines have been looked for. */
    private int $line = 0;

    private int $looked = 0;

    private bool $hasHead = false;

    /** Bytes of the body that are still to come. */
    private int $left = 0;

    private ?Chunks $chunks = null;

    private bool $keeps = false;

    public function begin(Exchange $exchange): void
    {
        $this->exchange = $exchange;
        $this->buffer = '';
        $this->headBytes = $this->line = $this->looked = 0;
        $this->hasHead = false;
        $this->left = 0;
        $this->chunks = null;
        $this->keeps = false;
    }

    /** Whether the connection can carry another request, once the answer is whole. */
    public function keepsConnection(): bool
    {
        return $this->keeps;
    }

    /**
     * @return bool whether the answer is whole
     *
     * @throws UnableToExchange
     */
    public function read(string $data): bool
    {
        $at = 0;

        if (! $this->hasHead) {
            $searched = max(0, strlen($this->buffer) - 2);
            // In place: a copy of all that is there for each piece would take long when the pieces are small.
            $this->buffer .= $data;
            $at = $this->head($searched);

            if ($at === null) {
                return false;
            }

            $data = $this->buffer;
            $this->buffer = '';
        }

        return $this->chunks === null ? $this->body($data, $at) : $this->chunked($this->chunks, $data, $at);
    }

    /**
     * The server has closed the connection, which ends a body of no told length.
     *
     * @throws UnableToExchange
     */
    public function end(): void
    {
        if ($this->left === self::UNTIL_CLOSE && $this->chunks === null) {
            return;
        }

        throw match (true) {
            $this->hasHead => UnableToExchange::cutShort($this->exchange->bytes),
            $this->exchange->firstByte !== 0 => UnableToExchange::cutInHead(),
            default => UnableToExchange::closedUnanswered(),
        };
    }

    /**
     * Interim answers are passed over.
     *
     * @param int $searched bytes in which no head ends
     * @return ?int where the body begins; null when the head is not whole
     */
    private function head(int $searched): ?int
    {
        while (true) {
            if (strncmp($this->buffer, 'HTTP/', min(5, strlen($this->buffer))) !== 0) {
                throw UnableToExchange::notHttp('an answer that does not begin with HTTP/', $this->buffer);
            }

            $isWhole = preg_match(self::BLANK_LINE, $this->buffer, $found, PREG_OFFSET_CAPTURE, $searched) === 1;
            $end = $isWhole ? $found[0][1] + strlen($found[0][0]) : strlen($this->buffer);
            $this->demandLength($end);

            if (! $isWhole) {
                return null;
            }

            $this->take(substr($this->buffer, 0, $end));

            if ($this->hasHead) {
                return $end;
            }

            $this->buffer = substr($this->buffer, $end);
            $this->headBytes += $end;
            $this->line = $this->looked = $searched = 0;
        }
    }

    private function take(string $head): void
    {
        if (preg_match(self::STATUS_LINE, $head, $found) !== 1) {
            throw UnableToExchange::notHttp('an answer that does not begin with a status line of HTTP/1', $head);
        }

        $status = (int) $found[2];

        // Upgraded though nobody asked for it: nothing that follows is an answer.
        if ($status < 200 && $status !== 101) {
            return;
        }

        $this->hasHead = true;
        $this->exchange->status = $status;
        $this->exchange->head = $head;
        $this->exchange->receiver?->expect($head);
        preg_match_all(self::FRAMING, $head, $fields, PREG_SET_ORDER);
        $lengths = $codings = $connection = '';

        foreach ($fields as [, $name, $value]) {
            match (strlen($name)) {
                14 => $lengths .= ",{$value}",
                17 => $codings .= ",{$value}",
                default => $connection .= ",{$value}",
            };
        }

        $isOld = $found[1] === '0';
        $this->keeps = self::keeps(self::words($connection), $isOld) && ! $this->exchange->isLast && $status !== 101;

        if ($this->exchange->isHead || $status === 204 || $status === 304 || $status === 101) {
            $this->left = 0;
        } else {
            $this->frame(array_diff(self::words($codings), ['identity']), $lengths, $isOld);
        }
    }

    /**
     * @param array<string> $codings
     * @param string $lengths a comma before each; empty for none
     */
    private function frame(array $codings, string $lengths, bool $isOld): void
    {
        if ($codings !== []) {
            $isChunked = end($codings) === 'chunked';
            $this->chunks = $isChunked ? new Chunks($this->exchange) : null;
            $this->left = self::UNTIL_CLOSE;
            // Whoever says it with a length beside it, or in HTTP/1.0, may not mean it: RFC 9112, section 6.1.
            $this->keeps = $this->keeps && $isChunked && $lengths === '' && ! $isOld;
        } elseif ($lengths !== '') {
            $this->left = self::length(substr($lengths, 1));
        } else {
            $this->left = self::UNTIL_CLOSE;
            $this->keeps = false;
        }
    }

    private function body(string $data, int $at): bool
    {
        $there = strlen($data) - $at;

        if ($this->left === self::UNTIL_CLOSE) {
            $this->exchange->take($data, $at, $there);

            return false;
        }

        if ($there > $this->left) {
            // Nobody asked for what follows.
            $this->keeps = false;
            $there = $this->left;
        }

        $this->exchange->take($data, $at, $there);
        $this->left -= $there;

        return $this->left === 0;
    }

    private function chunked(Chunks $chunks, string $data, int $at): bool
    {
        $end = $chunks->read($data, $at);

        if ($end !== null && $end < strlen($data)) {
            $this->keeps = false;
        }

        return $end !== null;
    }

    private static function length(string $lengths): int
    {
        // Some send it twice, or have a proxy that puts both into one.
        $values = array_map(trim(...), explode(',', $lengths));

        if (
            preg_grep('/\A0*\d{1,18}\z/', $values, PREG_GREP_INVERT) !== []
            || count(array_unique(array_map(intval(...), $values))) > 1
        ) {
            throw UnableToExchange::notHttp('an answer whose length is not told in one number', trim($lengths));
        }

        return (int) $values[0];
    }

    /** @param list<string> $words */
    private static function keeps(array $words, bool $isOld): bool
    {
        return ! in_array('close', $words, true) && (! $isOld || in_array('keep-alive', $words, true));
    }

    /** @return list<string> of a list with commas, in lower case */
    private static function words(string $list): array
    {
        return $list === ''
            ? []
            : array_values(array_filter(
                array_map(trim(...), explode(',', strtolower($list))),
                static fn (string $word): bool => $word !== '',
            ));
    }

    /** @param int $end of what of the head is there */
    private function demandLength(int $end): void
    {
        $isLong = $this->headBytes + $end > self::HEAD_BYTES;

        // Nothing that is shorter has a line that is too long.
        if ($end > self::LINE_BYTES && ! $isLong) {
            while (
                ! $isLong
                && $this->looked < $end
                && ($feed = strpos($this->buffer, "\n", $this->looked)) !== false
            ) {
                $isLong = $feed - $this->line > self::LINE_BYTES;
                $this->line = $this->looked = $feed + 1;
            }

            $this->looked = $end;
            $isLong = $isLong || $end - $this->line > self::LINE_BYTES;
        }

        if ($isLong) {
            throw UnableToExchange::headerTooLong(self::LINE_BYTES, self::HEAD_BYTES);
        }
    }
}
