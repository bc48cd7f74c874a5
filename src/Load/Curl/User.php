<?php

declare(strict_types=1);

namespace Headroom\Load\Curl;

use CurlHandle;
use Headroom\Load\Observer;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\Response;
use Headroom\Load\Tally;

/**
 * One simulated user: an easy handle and the request it has in flight. Only what differs from the request before is set.
 *
 * @internal
 */
final class User
{
    public readonly CurlHandle $handle;

    private ?Request $request = null;

    private int $number = 0;

    private int $waited = 0;

    private int $headLength = 0;

    private string $body = '';

    private readonly ?Search $search;

    private bool $listens = false;

    public function __construct(private readonly Plan $plan, private readonly FirstAnswer $firstAnswer)
    {
        $this->handle = curl_init();
        $text = $plan->expected->body ?? '';
        $this->search = $text === '' ? null : new Search($text);
    }

    /** @param int $waited microseconds since the request was due */
    public function prepare(int $number, Request $request, int $waited): void
    {
        $before = $this->request;
        $this->waited = $waited;
        $this->number = $number;
        $this->request = $request;
        $this->body = '';
        $this->search?->begin();

        if ($request === $before && ! $this->listens) {
            return;
        }

        if ($before === null || $this->listens || ! self::isAlike($before, $request)) {
            // Takes every option back and keeps the connections.
            curl_reset($this->handle);
            $wire = new Wire($request);
            curl_setopt_array($this->handle, $wire->options($this->plan));
            $this->headLength = $wire->headLength();
            $this->receive();
            $this->listen();

            return;
        }

        if ($before->target->url !== $request->target->url) {
            curl_setopt($this->handle, CURLOPT_URL, $request->target->url);
            $this->headLength += strlen($request->target->url) - strlen($before->target->url);
        }

        if ($request->body !== null && $before->body !== $request->body) {
            curl_setopt($this->handle, CURLOPT_POSTFIELDS, $request->body);
        }
    }

    private static function isAlike(Request $a, Request $b): bool
    {
        return $a->method === $b->method && $a->headers === $b->headers && ($a->body === null) === ($b->body === null);
    }

    /** @param int $code a CURLE_* */
    public function settle(int $code, Tally $tally, ?Observer $observer, int $inFlight): void
    {
        $status = curl_getinfo($this->handle, CURLINFO_RESPONSE_CODE);
        $micros = curl_getinfo($this->handle, CURLINFO_TOTAL_TIME_T);
        $bytes = curl_getinfo($this->handle, CURLINFO_SIZE_DOWNLOAD_T);
        $connections = curl_getinfo($this->handle, CURLINFO_NUM_CONNECTS);
        $failure = $code === CURLE_OK ? null : (new Diagnosis($this->handle))->failure($code);
        $tally->bytes += $bytes;
        $tally->connections += $connections;

        if ($failure === null) {
            $failure = $tally->answered($status, $micros, $this->waited, $this->search === null || $this->search->isFound());
        } else {
            $tally->failed($failure, curl_error($this->handle), $micros, $this->waited);
        }

        $resent = Wire::isTwice(curl_getinfo($this->handle, CURLINFO_REQUEST_SIZE), $this->headLength, strlen($this->request->body ?? ''));
        $tally->resent += $resent ? 1 : 0;

        if ($observer !== null && $this->request !== null) {
            $observer->finished($this->number, $this->request, new Response(
                $status,
                $failure,
                $micros,
                $bytes,
                $this->body,
                $resent,
                $this->waited,
                curl_getinfo($this->handle, CURLINFO_STARTTRANSFER_TIME_T),
                curl_getinfo($this->handle, CURLINFO_CONNECT_TIME_T),
                $inFlight,
            ));
        }
    }

    /** Until there was a first answer, whoever is asked to do something new listens for it. */
    private function listen(): void
    {
        $this->listens = $this->firstAnswer->isWanted();

        if ($this->listens) {
            $answer = $this->firstAnswer;
            curl_setopt($this->handle, CURLOPT_HEADERFUNCTION, static function (CurlHandle $handle, string $line) use ($answer): int {
                if ($answer->isWanted()) {
                    $answer->read(spl_object_id($handle), $line);
                }

                return strlen($line);
            });
        }
    }

    /** The body is counted by libcurl; what nobody asked for goes nowhere. */
    private function receive(): void
    {
        $keep = $this->plan->keepBytes;
        curl_setopt($this->handle, CURLOPT_WRITEFUNCTION, $keep === 0 && $this->search === null
            ? static fn (CurlHandle $handle, string $data): int => strlen($data)
            : function (CurlHandle $handle, string $data) use ($keep): int {
                $this->body .= substr($data, 0, $keep - strlen($this->body));
                $this->search?->read($data);

                return strlen($data);
            });
    }
}
