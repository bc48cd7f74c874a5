<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

final readonly class Http
{
    /** @return array{int, mixed} status and decoded body */
    public static function post(string $url): array
    {
        return self::send('POST', $url);
    }

    /** @return array{int, mixed} status and decoded body */
    public static function get(string $url): array
    {
        return self::send('GET', $url);
    }

    /**
     * @param array<string, mixed>|null $json
     * @return array{int, mixed}
     */
    public static function send(string $method, string $url, ?array $json = null): array
    {
        $context = stream_context_create(['http' => [
            'method' => $method,
            'ignore_errors' => true,
            'timeout' => 20,
            'header' => "Accept: application/json\r\nContent-Type: application/json\r\nConnection: close\r\n",
            'content' => $json === null ? '' : json_encode($json, JSON_THROW_ON_ERROR),
        ]]);
        $body = (string) file_get_contents($url, context: $context);
        // Filled by the line above: PHP manual, $http_response_header.
        $status = preg_match('~\AHTTP/\S+ (\d{3})~', $http_response_header[0] ?? '', $m) === 1 ? (int) $m[1] : 0;

        return [$status, json_decode($body, true)];
    }
}
