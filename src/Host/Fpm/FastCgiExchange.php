<?php

declare(strict_types=1);

namespace Headroom\Host\Fpm;

/**
 * One request and its answer, without the socket: bytes go out, bytes come in.
 *
 * @internal
 */
final class FastCgiExchange
{
    private string $buffer = '';

    private string $output = '';

    private string $errors = '';

    private int $received = 0;

    private bool $isOver = false;

    public function __construct(
        private readonly Address $address,
        private string $request,
        private readonly int $limit,
    ) {}

    public function hasMoreToSend(): bool
    {
        return $this->request !== '';
    }

    public function toSend(): string
    {
        return substr($this->request, 0, 65_536);
    }

    public function sent(int $bytes): void
    {
        $this->request = substr($this->request, $bytes);
    }

    /** @throws UnableToQueryPool */
    public function receive(string $bytes): void
    {
        $this->received += strlen($bytes);

        if ($this->received > $this->limit) {
            throw UnableToQueryPool::tooLong($this->address, $this->limit);
        }

        $this->buffer .= $bytes;
        $at = 0;

        while (! $this->isOver && ($header = FastCgiRecords::header($this->buffer, $at)) !== null) {
            $fault = FastCgiRecords::fault($header['version'], $header['type'], $header['id']);

            if ($fault !== null) {
                throw UnableToQueryPool::notFastCgi($this->address, $fault);
            }

            $length = FastCgiRecords::HEADER_BYTES + $header['content'] + $header['padding'];

            if (strlen($this->buffer) < $at + $length) {
                break;
            }

            $this->append(
                $header['type'],
                substr($this->buffer, $at + FastCgiRecords::HEADER_BYTES, $header['content']),
            );
            $at += $length;
        }

        // Cut once, and not after each record: many small records would copy the rest again and again.
        $this->buffer = substr($this->buffer, $at);
    }

    /** @throws UnableToQueryPool */
    public function closed(): never
    {
        throw UnableToQueryPool::brokeOff($this->address, $this->received);
    }

    public function received(): int
    {
        return $this->received;
    }

    public function isOver(): bool
    {
        return $this->isOver;
    }

    public function answer(): FastCgiResponse
    {
        return FastCgiResponse::fromOutput($this->output, $this->errors);
    }

    /** @throws UnableToQueryPool */
    private function append(int $type, string $content): void
    {
        if ($type === FastCgiRecords::STDOUT) {
            $this->output .= $content;
        } elseif ($type === FastCgiRecords::STDERR) {
            $this->errors .= $content;
        } else {
            $this->readEnd($content);
        }
    }

    /**
     * Bytes 0 to 3 are the script's exit code. The three bytes after the status are reserved,
     * and FPM does not clear them.
     */
    private function readEnd(string $content): void
    {
        if (strlen($content) < 5) {
            throw UnableToQueryPool::notFastCgi(
                $this->address,
                'its end of a request has '.strlen($content).' bytes instead of 8',
            );
        }

        if (ord($content[4]) !== 0) {
            throw UnableToQueryPool::declined($this->address, ord($content[4]));
        }

        $this->isOver = true;
    }
}
