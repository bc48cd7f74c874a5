<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\Answer;
use Headroom\Host\Fpm\Client;
use Headroom\Host\Fpm\UnableToAsk;
use Headroom\Preload\Page;

/**
 * Asks a pool as nginx would, and keeps its cookies as a browser does: without them each request begins a session, whose files make
 * the next one slower.
 *
 * @internal
 */
final class Asked
{
    private const ANSWER_MILLIS = 20_000;

    /** @var array<string, string> */
    private array $cookies = [];

    private readonly Client $client;

    public function __construct(private readonly Variant $variant, private readonly Address $address)
    {
        $this->client = new Client(answerMillis: self::ANSWER_MILLIS);
    }

    /** @throws UnableToAsk */
    public function ask(Page $page): Answer
    {
        $answer = $this->client->ask($this->address, $this->params($page), $page->body);
        $cookie = explode(';', $answer->headers['set-cookie'] ?? '')[0];

        if (str_contains($cookie, '=')) {
            [$name, $value] = explode('=', $cookie, 2);
            // The first is as good as those that follow: they are the same session, enciphered anew.
            $this->cookies += [$name => $value];
        }

        return $answer;
    }

    /** As a header has it; '' without one. */
    public function cookies(): string
    {
        return implode('; ', array_map(static fn (string $name, string $value): string => "{$name}={$value}", array_keys($this->cookies), $this->cookies));
    }

    /** @return array<string, string> */
    private function params(Page $page): array
    {
        return [
            'GATEWAY_INTERFACE' => 'CGI/1.1',
            'SERVER_PROTOCOL' => 'HTTP/1.1',
            'SERVER_SOFTWARE' => 'nginx',
            'SERVER_NAME' => 'localhost',
            'SERVER_ADDR' => '127.0.0.1',
            'SERVER_PORT' => '80',
            'REMOTE_ADDR' => '127.0.0.1',
            'REMOTE_PORT' => '40000',
            'REQUEST_SCHEME' => 'http',
            'REQUEST_METHOD' => $page->method,
            'REQUEST_URI' => $page->target,
            'QUERY_STRING' => (string) parse_url($page->target, PHP_URL_QUERY),
            'CONTENT_TYPE' => $page->contentType,
            'CONTENT_LENGTH' => $page->body === '' ? '' : (string) strlen($page->body),
            'DOCUMENT_ROOT' => $this->variant->root,
            'SCRIPT_NAME' => '/'.basename($this->variant->front),
            'SCRIPT_FILENAME' => $this->variant->front,
            'HTTP_HOST' => 'localhost',
            'HTTP_USER_AGENT' => 'headroom',
            'HTTP_ACCEPT' => '*/*',
            ...($this->cookies === [] ? [] : ['HTTP_COOKIE' => $this->cookies()]),
        ];
    }
}
