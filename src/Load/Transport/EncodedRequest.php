<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

use Headroom\Load\Request;
use Headroom\Load\Target;

/**
 * A request as it is sent.
 *
 * @internal
 */
final readonly class EncodedRequest
{
    private const USER_AGENT = 'headroom-load';

    private const WITH_BODY = ['POST', 'PUT', 'PATCH'];

    private function __construct(
        public Target $target,
        public string $text,
        public string $method,
        public bool $isLast,
    ) {}

    /** Opens a connection and sends nothing. */
    public static function none(Target $target): self
    {
        return new self($target, '', 'GET', true);
    }

    /** @param string $cookies for the Cookie header, added to those that the request has; empty for none */
    public static function of(Request $request, string $cookies = ''): self
    {
        $target = $request->target;
        $lines = "{$request->method} {$target->path} HTTP/1.1\r\n";
        $given = [];

        foreach ($request->headers as $header) {
            [$name, $value] = explode(':', $header, 2);
            $name = strtolower($name);

            if ($name === 'cookie' && $cookies !== '' && ! isset($given[$name])) {
                $header = "{$header}; {$cookies}";
            }

            $given[$name] = isset($given[$name]) ? "{$given[$name]},{$value}" : $value;

            $lines .= "{$header}\r\n";
        }

        foreach (self::added($request, $cookies) as $name => $value) {
            $lines .= isset($given[strtolower($name)]) ? '' : "{$name}: {$value}\r\n";
        }

        return new self(
            $target,
            "{$lines}\r\n".self::body($request, $given),
            $request->method,
            self::says($given['connection'] ?? '', 'close'),
        );
    }

    /** @return array<string, string> the default headers, which those of the request replace */
    private static function added(Request $request, string $cookies): array
    {
        $headers = ['Host' => $request->target->authority, 'User-Agent' => self::USER_AGENT, 'Accept' => '*/*'];

        if ($cookies !== '') {
            $headers['Cookie'] = $cookies;
        }

        if ($request->body !== null) {
            $headers['Content-Type'] = 'application/x-www-form-urlencoded';
        }

        // A POST without a body must still send the length 0.
        if (
            ($request->body !== null || in_array($request->method, self::WITH_BODY, true))
            && ! $request->hasHeader('Transfer-Encoding')
        ) {
            $headers['Content-Length'] = (string) strlen($request->body ?? '');
        }

        return $headers;
    }

    /** @param array<string, string> $given headers by their names in lower case */
    private static function body(Request $request, array $given): string
    {
        $body = $request->body ?? '';

        if (! self::says($given['transfer-encoding'] ?? '', 'chunked')) {
            return $body;
        }

        return ($body === '' ? '' : dechex(strlen($body))."\r\n{$body}\r\n")."0\r\n\r\n";
    }

    private static function says(string $value, string $word): bool
    {
        return $value !== '' && preg_match("/(?:\A|,)[ \t]*{$word}[ \t]*(?:,|\z)/i", $value) === 1;
    }
}
