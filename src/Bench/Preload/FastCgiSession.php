<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\FastCgiClient;
use Headroom\Host\Fpm\FastCgiResponse;
use Headroom\Host\Fpm\UnableToQueryPool;
use Headroom\Preload\Page;
use Headroom\Preload\TargetApplication;

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

    private readonly FastCgiClient $client;

    public function __construct(private readonly TargetApplication $site, private readonly Address $address)
    {
        $this->client = new FastCgiClient(answerMillis: self::ANSWER_MILLIS);
    }

    /** @throws UnableToQueryPool */
    public function ask(Page $page): FastCgiResponse
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
