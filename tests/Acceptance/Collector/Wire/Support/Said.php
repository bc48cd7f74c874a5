<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Wire\Support;

use Headroom\Tests\Acceptance\Collector\Support\Client;

/**
 * One request and what a running collector answered.
 */
final readonly class Said
{
    /** @param array<string, string> $headers of the answer, by name in lower case */
    private function __construct(public Ask $ask, public int $status, public array $headers, public string $body) {}

    public static function by(string $address, Ask $ask): self
    {
        $client = (new Client($address))->send($ask->bytes());

        if ($ask->method === 'HEAD') {
            // It tells the length of what it leaves out.
            [$status, $head, $body] = [...self::withoutBody($client)];
        } else {
            [$status, $head, $body] = $client->answer();
        }

        $client->close();
        $headers = [];

        foreach (explode("\r\n", trim(substr($head, (int) strpos($head, "\r\n")))) as $line) {
            [$name, $value] = explode(': ', $line, 2) + [1 => ''];
            $headers[strtolower($name)] = $value;
        }

        return new self($ask, $status, $headers, $body);
    }

    public function code(): ?string
    {
        $decoded = json_decode($this->body, true);
        $code = is_array($decoded) ? $decoded['code'] ?? null : null;

        return is_string($code) ? $code : null;
    }

    public function type(): ?string
    {
        return isset($this->headers['content-type']) ? trim(explode(';', $this->headers['content-type'])[0]) : null;
    }

    /** @return array{int, string, string} */
    private static function withoutBody(Client $client): array
    {
        $head = '';

        while (! str_ends_with($head, "\r\n\r\n") && is_string($line = fgets($client->stream))) {
            $head .= $line;
        }

        return [(int) substr($head, 9, 3), $head, ''];
    }
}
