<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Headroom\Tests\Support\Fetched;

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
        $answer = Fetched::from($url, [
            'method' => $method,
            'timeout' => 20,
            'header' => "Accept: application/json\r\nContent-Type: application/json\r\nConnection: close\r\n",
            'content' => $json === null ? '' : json_encode($json, JSON_THROW_ON_ERROR),
        ]);

        return [$answer->status, json_decode($answer->body, true)];
    }
}
