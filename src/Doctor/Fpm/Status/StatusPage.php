<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Status;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Doctor\FactUnavailable;
use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\FastCgiClient;
use Headroom\Host\Fpm\FastCgiFailure;
use Headroom\Host\Fpm\UnableToQueryPool;

/**
 * The status page of a pool, requested directly over FastCGI.
 *
 * @internal
 */
final readonly class StatusPage
{
    public const USUAL = ['/fpm-status', '/status', '/fpm_status', '/php-fpm-status'];

    private const ATTEMPTS = 5;

    private const PAUSE_MICROS = 10_000;

    /**
     * With this parameter FPM answers without waiting for a process that updates its scoreboard slot
     * (fpm_scoreboard_copy()).
     */
    private const LOCKED = 'Internal error.';

    public function __construct(
        private FastCgiClient $client = new FastCgiClient,
        private Clock $clock = new SystemClock,
    ) {}

    /**
     * The page counts itself, because an active worker of the pool answers it, unless pm.status_listen gives it a
     * worker of its own.
     *
     * @param string $path pm.status_path
     *
     * @throws UnableToQueryPool
     * @throws FactUnavailable
     */
    public function read(Address $address, string $path, bool $withQuery = false): PoolStatus
    {
        $requests = 0;

        try {
            return $this->page($address, $path, 'json&full', $withQuery, $requests);
        } catch (FactUnavailable) {
            // An older FPM does not escape URIs, so the full page may be invalid JSON. The short page has no URIs.
            return $this->page($address, $path, 'json', $withQuery, $requests);
        }
    }

    /**
     * Finds the page of a pool whose configuration is not known.
     *
     * @return ?string the first of USUAL that answers; null if none of them does
     *
     * @throws UnableToQueryPool if the pool does not answer
     */
    public function find(Address $address): ?string
    {
        foreach (self::USUAL as $path) {
            try {
                $this->read($address, $path);

                return $path;
            } catch (FactUnavailable) {
                continue;
            } catch (UnableToQueryPool $e) {
                in_array($e->failure, [FastCgiFailure::ScriptNotFound, FastCgiFailure::ExtensionNotAllowed], true)
                    || throw $e;
            }
        }

        return null;
    }

    /**
     * @param int $requests added to
     *
     * @throws UnableToQueryPool
     * @throws FactUnavailable
     */
    private function page(Address $address, string $path, string $query, bool $withQuery, int &$requests): PoolStatus
    {
        $source = "{$address->text()} {$path}?{$query}";
        $answer = $this->client->get($address, $path, $query);
        $requests++;

        for ($try = 1; $answer->status === 500
            && str_starts_with($answer->body, self::LOCKED)
            && $try < self::ATTEMPTS; $try++) {
            $this->clock->sleep(self::PAUSE_MICROS);
            $answer = $this->client->get($address, $path, $query);
            $requests++;
        }

        return $answer->status === 200
            ? PoolStatus::fromPage($answer->body, $source, $withQuery, $requests)
            : throw UnreadableStatus::status($source, $answer->status, $answer->body);
    }
}
