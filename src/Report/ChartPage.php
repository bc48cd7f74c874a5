<?php

declare(strict_types=1);

namespace Headroom\Report;

/**
 * The page of charts: one document, its script and its style, from resources/dist. It requests
 * the numbers from `data` below its own address, and nothing else.
 *
 * @internal
 */
final readonly class ChartPage
{
    /** Resources of other origins and inline code are blocked. */
    public const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
        ." img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    private const ASSETS = [
        'charts.js' => 'text/javascript; charset=utf-8',
        'charts.css' => 'text/css; charset=utf-8',
        'LICENSES.txt' => 'text/plain; charset=utf-8',
    ];

    private const DIRECTORY = __DIR__.'/../../resources/dist';

    /**
     * @param string $base the path of the page as the browser knows it, without a slash at its end
     * @return array{string, array<string, string>} document and headers
     */
    public static function document(string $base): array
    {
        return [
            str_replace(
                '{base}',
                htmlspecialchars($base, ENT_QUOTES | ENT_SUBSTITUTE, 'UTF-8'),
                (string) file_get_contents(self::DIRECTORY.'/charts.html'),
            ),
            [
                'Content-Type' => 'text/html; charset=utf-8',
                'Content-Security-Policy' => self::POLICY,
                'X-Content-Type-Options' => 'nosniff',
                'Referrer-Policy' => 'same-origin',
                'Cache-Control' => 'no-store',
            ],
        ];
    }

    /** @return ?array{string, array<string, string>} path of the file and headers; null when there is no such file */
    public static function asset(string $name): ?array
    {
        // The address of an asset has a hash of its content.
        return isset(self::ASSETS[$name])
            ? [
                self::DIRECTORY."/{$name}",
                [
                    'Content-Type' => self::ASSETS[$name],
                    'X-Content-Type-Options' => 'nosniff',
                    'Cache-Control' => 'private, max-age=31536000, immutable',
                ],
            ]
            : null;
    }
}
