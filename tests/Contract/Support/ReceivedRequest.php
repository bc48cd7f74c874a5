<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use PHPUnit\Framework\Assert;

/**
 * A request as a server got it.
 */
final readonly class ReceivedRequest
{
    /** @param array<string, string> $headers by name in small letters */
    private function __construct(
        public string $method,
        public string $path,
        public array $headers,
        public string $body,
        public int $connection,
    ) {}

    public static function fromLine(string $line): self
    {
        $request = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
        Assert::assertIsArray($request);
        Assert::assertIsArray($request['headers']);
        Assert::assertIsString($request['method']);
        Assert::assertIsString($request['path']);
        Assert::assertIsString($request['body']);
        Assert::assertIsInt($request['connection']);
        $headers = [];

        foreach ($request['headers'] as $header) {
            Assert::assertIsString($header);
            [$name, $value] = explode(':', $header, 2) + [1 => ''];
            $headers[strtolower($name)] = trim($value);
        }

        return new self($request['method'], $request['path'], $headers, $request['body'], $request['connection']);
    }

    /** @return list<mixed> the column `id` of each of its events */
    public function events(): array
    {
        $events = json_decode($this->body, true, flags: JSON_THROW_ON_ERROR);
        Assert::assertIsArray($events);

        return array_column(array_values($events), 'id');
    }
}
