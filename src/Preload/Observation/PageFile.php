<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

use Headroom\Preload\Page;
use Headroom\Support\FileOperation;

/**
 * The file of `--urls`: one request per line.
 *
 * @internal
 */
final readonly class PageFile
{
    public const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

    private const WITH_BODY = ['POST', 'PUT', 'PATCH', 'DELETE'];

    private const MAX_BYTES = 8_388_608;

    /**
     * @return list<Page> in the order of the file; a request that occurs twice has the weight 2
     *
     * @throws InvalidPages
     */
    public static function read(string $path): array
    {
        $reason = '';
        $text = is_dir($path)
            ? throw InvalidPages::unreadable($path, 'it is a directory')
            : FileOperation::run(static fn () => file_get_contents($path, length: self::MAX_BYTES + 1), $reason);

        if ($text === false) {
            throw InvalidPages::unreadable($path, $reason);
        }

        if (strlen($text) > self::MAX_BYTES) {
            throw InvalidPages::tooLarge($path, self::MAX_BYTES);
        }

        $pages = [];

        foreach (explode("\n", (string) preg_replace('/\A\xEF\xBB\xBF/', '', $text)) as $number => $line) {
            $line = trim($line);

            if ($line !== '' && $line[0] !== '#') {
                $page = self::page(
                    $line,
                    static fn (string $wrong): InvalidPages => InvalidPages::line($path, $number + 1, $line, $wrong),
                );
                $key = "{$page->name()}\n{$page->body}";
                $pages[$key] = new Page(
                    $page->method,
                    $page->target,
                    $page->body,
                    $page->contentType,
                    ($pages[$key]->weight ?? 0) + 1,
                );
            }
        }

        return $pages === [] ? throw InvalidPages::none($path) : array_values($pages);
    }

    /**
     * @param callable(string): InvalidPages $wrong
     *
     * @throws InvalidPages
     */
    private static function page(string $line, callable $wrong): Page
    {
        [$first, $rest] = self::word($line);
        $isMethod = ! str_starts_with($first, '/') && ! str_contains($first, '://');
        $method = $isMethod ? strtoupper($first) : 'GET';
        [$target, $body] = $isMethod ? self::word($rest) : [$first, $rest];

        if (! in_array($method, self::METHODS, true)) {
            throw $wrong("it must begin with a path or a known method, and begins with '{$first}'");
        }

        if ($body !== '' && ! in_array($method, self::WITH_BODY, true)) {
            throw $wrong("a {$method} request has no body, and a space in a path is written as %20");
        }

        return new Page($method, self::target($target, $wrong), $body, self::contentType($body));
    }

    /**
     * @param callable(string): InvalidPages $wrong
     *
     * @throws InvalidPages
     */
    private static function target(string $text, callable $wrong): string
    {
        $target = preg_replace('~\Ahttps?://[^/?#\s]+~i', '', $text) ?? $text;
        // Browsers do not send a fragment.
        $target = explode('#', $target, 2)[0];
        $target = $target !== $text && ($target === '' || $target[0] === '?') ? "/{$target}" : $target;

        if (! str_starts_with($target, '/')) {
            throw $wrong('its path does not begin with a slash');
        }

        return preg_match('/[\x00-\x20\x7F]/', $target) === 1
            ? throw $wrong('its path has a control character')
            : $target;
    }

    private static function contentType(string $body): string
    {
        return match ($body[0] ?? '') {
            '' => '',
            '{', '[' => 'application/json',
            default => 'application/x-www-form-urlencoded',
        };
    }

    /** @return array{string, string} the first word, and the rest */
    private static function word(string $text): array
    {
        [$word, $rest] = [...(array) preg_split('/[ \t]+/', $text, 2), ''];

        return [(string) $word, (string) $rest];
    }
}
