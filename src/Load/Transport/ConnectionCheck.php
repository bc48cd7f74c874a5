<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

use Headroom\Core\Clock;
use Headroom\Load\Failure;
use Headroom\Load\Plan;
use Headroom\Load\Target;
use Headroom\Load\UnableToReach;

/**
 * Connects to each host before the first request of a run, TLS handshake included, and sends nothing.
 *
 * @internal
 */
final readonly class ConnectionCheck
{
    /** Linux repeats a SYN after 1 and 3 seconds: within 5 s a server has missed three of them. */
    private const LONGEST_SECONDS = 5.0;

    private const WAIT_MICROS = 250_000;

    public function __construct(private Clock $clock) {}

    /**
     * @param list<Target> $targets
     *
     * @throws UnableToReach
     */
    public function demandServers(array $targets, Plan $plan): void
    {
        $origins = array_column($targets, null, 'origin');
        $seconds = min($plan->timeout, self::LONGEST_SECONDS);
        $client = new Client($this->clock, $seconds, $plan->insecure, max(1, count($origins)));

        try {
            foreach ($origins as $target) {
                $exchange = new Exchange;
                $exchange->prepare(EncodedRequest::none($target), null);
                $client->begin($exchange);
            }

            while ($client->inFlight() > 0) {
                foreach ($client->work(self::WAIT_MICROS) as $exchange) {
                    $this->demand($exchange, $seconds);
                }
            }
        } finally {
            $client->close();
        }
    }

    /** Whether the port of an http URL speaks TLS: nginx and Apache answer plain HTTP on a TLS port with 400. */
    public function speaksTls(Target $target): bool
    {
        $authority = str_contains($target->host, ':') ? "[{$target->host}]" : $target->host;
        $exchange = new Exchange;
        $exchange->prepare(EncodedRequest::none(Target::fromUrl("https://{$authority}:{$target->port}/")), null);
        $client = new Client($this->clock, self::LONGEST_SECONDS, true, 1);
        $client->begin($exchange);

        try {
            while ($client->inFlight() > 0) {
                $client->work(self::WAIT_MICROS);
            }
        } finally {
            $client->close();
        }

        return $exchange->failure === null;
    }

    private function demand(Exchange $exchange, float $seconds): void
    {
        $target = $exchange->target;

        match (true) {
            $exchange->failure === null => null,
            $exchange->failure !== Failure::TimeoutConnecting => throw UnableToReach::notConnected(
                $target,
                $exchange->failure,
                $this->reason($exchange),
            ),
            $exchange->connected !== 0 => throw UnableToReach::silent($target, $seconds),
            default => throw UnableToReach::notConnected(
                $target,
                $exchange->failure,
                "no connection within {$seconds} s",
            ),
        };
    }

    private function reason(Exchange $exchange): string
    {
        if ($exchange->tls?->isOfCertificate() !== true) {
            return $exchange->message;
        }

        $certificate = ServerCertificate::ofServer($exchange->target, $this->clock);

        return $certificate === null
            ? $exchange->message
            : $exchange->tls->about($exchange->target, $certificate, $this->clock);
    }
}
