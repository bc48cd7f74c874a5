<?php

declare(strict_types=1);

namespace Workbench\Rig;

use Headroom\Load\Observer;
use Headroom\Load\Request;
use Headroom\Load\RequestSource;
use Headroom\Load\Response;

/**
 * Page views with ids of their own, and which of them were acknowledged.
 */
final class PageViews implements Observer, RequestSource
{
    /** @var array<string, true> */
    public array $acknowledged = [];

    private readonly Request $request;

    public function __construct(string $url, private readonly string $prefix)
    {
        $this->request = new Request($url, 'POST', '{}', [
            'Content-Type: application/json', 'Accept: application/json',
        ]);
    }

    public function next(int $number): Request
    {
        return $this->request->withBody(
            "{\"id\":\"{$this->prefix}{$number}\",\"ip\":\"203.0.113.9\",\"time\":\"2026-01-01"
                .' 10:05:03","method":"GET",'
                .'"path":"/presentations/logstash-monitorama-2013/images/kibana-search.png","status":200,'
                .'"bytes":203023,"referer":"http://example.org/presentations/","agent":"Mozilla/5.0 (X11;'
                .' Linux x86_64) AppleWebKit/537.36"}',
        );
    }

    public function finished(int $number, Request $request, Response $response): void
    {
        if ($response->failure === null && $response->status === 202) {
            $this->acknowledged["{$this->prefix}{$number}"] = true;
        }
    }
}
