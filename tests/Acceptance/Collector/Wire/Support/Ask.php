<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Wire\Support;

/**
 * One request, and what should come of it.
 */
final readonly class Ask
{
    /**
     * @param string $path as the description has it
     * @param array<string, string> $headers
     * @param ?string $raw bytes in place of all that
     * @param bool $isRepeated until it is answered so
     */
    public function __construct(
        public string $method,
        public string $path,
        public int $status,
        public ?string $code = null,
        public array $headers = [],
        public string $body = '',
        public string $query = '',
        public string $to = 'open',
        public ?string $raw = null,
        public bool $isRepeated = false,
    ) {}

    public function bytes(): string
    {
        if ($this->raw !== null) {
            return $this->raw;
        }

        $lines = '';

        foreach ($this->headers + ['Host' => 'collector', 'Connection' => 'close'] as $name => $value) {
            $lines .= "{$name}: {$value}\r\n";
        }

        return "{$this->method} {$this->path}".($this->query === '' ? '' : "?{$this->query}")." HTTP/1.1\r\n{$lines}"
            .($this->body === '' ? '' : 'Content-Length: '.strlen($this->body)."\r\n")."\r\n{$this->body}";
    }

    public function type(): string
    {
        return $this->headers['Content-Type'] ?? 'application/json';
    }

    public function words(): string
    {
        return "{$this->method} {$this->path} {$this->status} {$this->code} ("
            .mb_scrub(substr($this->bytes(), 0, 300), 'UTF-8').')';
    }
}
