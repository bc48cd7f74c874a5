<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Headroom\Load\Observer;
use Headroom\Load\Request;
use Headroom\Load\RequestSource;
use Headroom\Load\Response;

/**
 * Events with ids of their own, one a request, and which of them were acknowledged.
 */
final class Events implements Observer, RequestSource
{
    /** @var array<string, true> */
    public array $acknowledged = [];

    private readonly Request $request;

    public function __construct(string $url, private readonly string $prefix, string $key)
    {
        $this->request = new Request("{$url}/v1/events", 'POST', '{}', [
            'Content-Type: application/json', "Authorization: Bearer {$key}",
        ]);
    }

    public function next(int $number): Request
    {
        return $this->request->withBody(
            "{\"id\":\"{$this->prefix}{$number}\",\"source\":\"bench\",\"type\":\"page.viewed\","
                .'"time":"2026-01-01T10:05:03.123456Z","data":{"path":"/presentations","status":200}}',
        );
    }

    public function finished(int $number, Request $request, Response $response): void
    {
        if ($response->failure === null && $response->status === 202) {
            $this->acknowledged["{$this->prefix}{$number}"] = true;
        }
    }
}
