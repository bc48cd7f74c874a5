<?php

declare(strict_types=1);

namespace Headroom\Load\Curl;

use Headroom\Load\Plan;
use Headroom\Load\Request;

/**
 * A request as libcurl puts it on the wire.
 *
 * @internal
 */
final readonly class Wire
{
    private const USER_AGENT = 'headroom-load';

    private const SEPARATE_BODY = 65_536;

    private const MOST_REPEATS = 6;

    private const WITH_BODY = ['POST', 'PUT', 'PATCH'];

    public function __construct(private Request $request) {}

    /** @return array<int, mixed> for curl_setopt_array() */
    public function options(Plan $plan): array
    {
        $body = $this->body();
        $options = [
            CURLOPT_URL => $this->request->target->url,
            CURLOPT_CUSTOMREQUEST => $this->request->method,
            CURLOPT_HTTPHEADER => $this->headers(),
            CURLOPT_TIMEOUT_MS => (int) ceil($plan->timeout * 1_000),
            CURLOPT_NOSIGNAL => true,
            // One request per connection at a time is what the plan's users mean.
            CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_1_1,
            // Load goes to the host of the URL: not to a proxy of the environment, not to where a redirect points.
            CURLOPT_PROXY => '',
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_PATH_AS_IS => true,
            CURLOPT_SSL_VERIFYPEER => ! $plan->insecure,
            CURLOPT_SSL_VERIFYHOST => $plan->insecure ? 0 : 2,
        ];

        if ($this->request->method === 'HEAD') {
            $options[CURLOPT_NOBODY] = true;
        }

        return $body === null ? $options : $options + [CURLOPT_POSTFIELDS => $body];
    }

    /** The bytes of the head, all but the port and the Content-Length line. */
    public function headLength(): int
    {
        $target = $this->request->target;
        $length = strlen("{$this->request->method} {$target->path} HTTP/1.1\r\nHost: {$target->host}\r\n\r\n");

        foreach ($this->headers() as $header) {
            $length += str_ends_with($header, ':') ? 0 : strlen($header) + 2;
        }

        return $length;
    }

    /**
     * Whether so many bytes are more than one such request takes. libcurl sends, and counts, a body of 64 KB and more
     * apart from the head, so there the head alone has to show it.
     */
    public static function isTwice(int $bytes, int $head, int $body): bool
    {
        $once = $body >= self::SEPARATE_BODY && $bytes < self::MOST_REPEATS * $head ? $head : $head + $body;

        // Half as much again is more than what headLength() leaves out.
        return $bytes > 1.5 * $once;
    }

    /**
     * Those that libcurl would add are named here, so that their length is known.
     *
     * @return list<string>
     */
    private function headers(): array
    {
        // Without "Expect:" libcurl would ask before it sends a large body, and wait a second for servers that never answer that.
        $headers = [...$this->request->headers, 'Expect:'];

        foreach (['User-Agent' => self::USER_AGENT, 'Accept' => '*/*'] as $name => $value) {
            if (! $this->request->hasHeader($name)) {
                $headers[] = "{$name}: {$value}";
            }
        }

        if ($this->body() !== null && ! $this->request->hasHeader('Content-Type')) {
            $headers[] = $this->request->body === null ? 'Content-Type:' : 'Content-Type: application/x-www-form-urlencoded';
        }

        return $headers;
    }

    /** A POST without a body still has to say that its length is 0. */
    private function body(): ?string
    {
        return $this->request->body ?? (in_array($this->request->method, self::WITH_BODY, true) ? '' : null);
    }
}
