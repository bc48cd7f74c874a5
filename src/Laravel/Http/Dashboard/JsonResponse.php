<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard;

use Headroom\Report\WebPage;
use Illuminate\Http\Response;

/**
 * Answers of the dashboard to its script. Strings come from outside, so the JSON has no `<`, `>` or bytes that are not
 * UTF-8.
 *
 * @internal
 */
final readonly class JsonResponse
{
    public const PROBLEM_TYPE = 'application/problem+json';

    private const FLAGS = JSON_HEX_TAG | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE
        | JSON_PRESERVE_ZERO_FRACTION | JSON_THROW_ON_ERROR;

    /** @param array<string, mixed> $document */
    public static function of(array $document): Response
    {
        return self::text(self::encode($document));
    }

    /** @param string $json result of encode() */
    public static function text(string $json): Response
    {
        return self::response(200, 'application/json', $json);
    }

    public static function problem(int $status, string $title, string $detail): Response
    {
        return self::response(
            $status,
            self::PROBLEM_TYPE,
            self::encode(['title' => $title, 'detail' => $detail, 'status' => $status]),
        );
    }

    /** @param array<string, mixed> $document */
    public static function encode(array $document): string
    {
        return json_encode($document, self::FLAGS);
    }

    private static function response(int $status, string $type, string $body): Response
    {
        return new Response(
            $body,
            $status,
            ['Content-Type' => $type, 'Cache-Control' => 'no-store', ...WebPage::headers()],
        );
    }
}
