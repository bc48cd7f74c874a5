<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\Answer;
use Headroom\Host\Fpm\Client;
use Headroom\Host\Fpm\UnableToAsk;
use Headroom\Preload\Page;
use Headroom\Preload\Site;

/**
 * Sends requests to a pool as a browser does that keeps its cookies. Without them each request would start a session,
 * whose files slow the next one down.
 *
 * @internal
 */
final class FastCgiSession
{
    public const ANSWER_MILLIS = 20_000;

    /** @var array<string, string> */
    private array $cookies = [];

    private readonly Client $client;

    public function __construct(private readonly Site $site, private readonly Address $address)
    {
        $this->client = new Client(answerMillis: self::ANSWER_MILLIS);
    }

    /** @throws UnableToAsk */
    public function ask(Page $page): Answer
    {
        $cookies = $this->cookies === [] ? [] : ['HTTP_COOKIE' => $this->cookies()];
        $answer = $this->client->ask($this->address, [...$this->site->parameters($page), ...$cookies], $page->body);
        $cookie = explode(';', $answer->headers['set-cookie'] ?? '')[0];

        if (str_contains($cookie, '=')) {
            [$name, $value] = explode('=', $cookie, 2);
            // Later values are the same session, encrypted again.
            $this->cookies += [$name => $value];
        }

        return $answer;
    }

    /** In the form of the Cookie header; '' without cookies. */
    public function cookies(): string
    {
        return implode(
            '; ',
            array_map(
                static fn (string $name, string $value): string => "{$name}={$value}",
                array_keys($this->cookies),
                $this->cookies,
            ),
        );
    }
}
