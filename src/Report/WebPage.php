<?php

declare(strict_types=1);

namespace Headroom\Report;

/**
 * A page that an application serves: one document, its script and its style, from resources/dist. It requests numbers
 * below its own address, and nothing else.
 *
 * @internal
 */
final readonly class WebPage
{
    /** Resources of other origins and inline code are blocked. */
    public const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
        ." img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    private const TYPES = [
        'js' => 'text/javascript; charset=utf-8',
        'css' => 'text/css; charset=utf-8',
        'txt' => 'text/plain; charset=utf-8',
    ];

    /** Characters of the hash in the address; resources/js/build.mjs. */
    private const VERSION_LENGTH = 12;

    private const DIRECTORY = __DIR__.'/../../resources/dist';

    private function __construct(private string $name) {}

    public static function charts(): self
    {
        return new self('charts');
    }

    public static function dashboard(): self
    {
        return new self('dashboard');
    }

    /**
     * @param array<string, string> $values of the placeholders; `base` is the path of the page as the browser knows it,
     *     without a slash at its end
     * @return array{string, array<string, string>} document and headers
     */
    public function document(array $values): array
    {
        $replacements = [];

        foreach ($values as $name => $value) {
            $replacements["{{$name}}"] = htmlspecialchars($value, ENT_QUOTES | ENT_SUBSTITUTE, 'UTF-8');
        }

        return [
            // strtr() does not replace inside a value that it has put in.
            strtr((string) file_get_contents(self::DIRECTORY."/{$this->name}.html"), $replacements),
            ['Content-Type' => 'text/html; charset=utf-8', 'Cache-Control' => 'no-store', ...self::headers()],
        ];
    }

    /**
     * @param string $query of the address, which is a hash of the content
     * @return ?array{string, array<string, string>} content and headers; null when there is no such file
     */
    public function asset(string $name, string $query): ?array
    {
        if (! in_array($name, ["{$this->name}.js", "{$this->name}.css", 'LICENSES.txt'], true)) {
            return null;
        }

        $content = (string) file_get_contents(self::DIRECTORY."/{$name}");
        // During a deployment, a machine may answer for an asset of another version. No browser may keep that.
        $isNamed = substr(hash('sha256', $content), 0, self::VERSION_LENGTH) === rtrim($query, '=');

        return [$content, [
            'Content-Type' => self::TYPES[pathinfo($name, PATHINFO_EXTENSION)] ?? 'text/plain',
            'Cache-Control' => $isNamed ? 'private, max-age=31536000, immutable' : 'no-store',
            ...self::headers(),
        ]];
    }

    /** @return array<string, string> of every response */
    public static function headers(): array
    {
        return [
            'Content-Security-Policy' => self::POLICY,
            'X-Content-Type-Options' => 'nosniff',
            'Referrer-Policy' => 'same-origin',
        ];
    }
}
