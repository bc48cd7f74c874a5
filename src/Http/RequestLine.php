<?php

declare(strict_types=1);

namespace Headroom\Http;

use function ctype_graph;
use function explode;
use function preg_match;
use function str_contains;
use function str_ends_with;
use function str_starts_with;
use function strcspn;
use function strlen;
use function strpbrk;
use function strpos;
use function substr;

/**
 * The first line of a request (RFC 9112, section 3).
 *
 * @internal
 */
final readonly class RequestLine
{
    /** A registered name, an IPv4 address or an IPv6 address in brackets; a port or none (RFC 3986, section 3.2). */
    private const AUTHORITY =
        '/\A(?:(?:[A-Za-z0-9._~!$&\'()*+,;=-]|%[0-9A-Fa-f]{2})++|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{0,5})?\z/';

    /**
     * @param string $method as it was sent: methods are case-sensitive
     * @param string $path as it was sent, percent-encoded, without the query
     * @param string $query without its question mark; empty if the target has no query
     * @param ?string $authority of a target in absolute form
     * @param bool $isOld whether the version is HTTP/1.0
     */
    private function __construct(
        public string $method,
        public string $path,
        public string $query,
        public ?string $authority,
        public bool $isOld,
    ) {}

    /** @param string $line without its end */
    public static function parse(string $line): self|HttpError
    {
        $isOld = false;

        if (! str_ends_with($line, ' HTTP/1.1')) {
            $isOld = str_ends_with($line, ' HTTP/1.0');

            // A higher minor version is treated as the highest known one (RFC 9110, section 2.5).
            if (! $isOld && preg_match('~ HTTP/1\.\d\z~', $line) !== 1) {
                return self::fault($line);
            }
        }

        $space = (int) strpos($line, ' ');
        $method = substr($line, 0, $space);
        $target = substr($line, $space + 1, -9);

        // Visible characters only, so no further space.
        if (! ctype_graph($target)) {
            return $target === '' || str_contains($target, ' ') || strpbrk($line, "\r\n") !== false
                ? self::fault($line)
                : HttpError::target($target);
        }

        if (
            $method !== 'POST'
            && $method !== 'GET'
            && ($method === 'CONNECT' || preg_match(HeaderBlock::TOKEN, $method) !== 1)
        ) {
            return $method === 'CONNECT' ? HttpError::connect() : HttpError::method($method);
        }

        if ($target[0] !== '/' || str_contains($target, '#')) {
            return self::otherForm($method, $target, $isOld);
        }

        $question = strpos($target, '?');

        return $question === false
            ? new self($method, $target, '', null, $isOld)
            : new self($method, substr($target, 0, $question), substr($target, $question + 1), null, $isOld);
    }

    public static function isAuthority(string $text): bool
    {
        return preg_match(self::AUTHORITY, $text) === 1;
    }

    /** The asterisk of OPTIONS, and the absolute form, which clients send to proxies and every server must accept. */
    private static function otherForm(string $method, string $target, bool $isOld): self|HttpError
    {
        if ($method === 'OPTIONS' && $target === '*') {
            return new self($method, '*', '', null, $isOld);
        }

        if (str_contains($target, '#') || preg_match('~\Ahttps?://~i', $target, $scheme) !== 1) {
            return HttpError::target($target);
        }

        $rest = substr($target, strlen($scheme[0]));
        $length = strcspn($rest, '/?');
        $authority = substr($rest, 0, $length);
        [$path, $query] = explode('?', substr($rest, $length), 2) + [1 => ''];

        if (! self::isAuthority($authority)) {
            return HttpError::host($authority);
        }

        // OPTIONS for a whole server: the last proxy forwards the asterisk form (RFC 9112, section 3.2.4).
        $root = $method === 'OPTIONS' && $length === strlen($rest) ? '*' : '/';

        return new self($method, $path === '' ? $root : $path, $query, $authority, $isOld);
    }

    private static function fault(string $line): HttpError
    {
        if (strpbrk($line, "\r\n") !== false) {
            return HttpError::lineEnding();
        }

        return preg_match('~ (HTTP/\d(?:\.\d)?)\z~', $line, $version) === 1 && ! str_starts_with($version[1], 'HTTP/1.')
            ? HttpError::version($version[1])
            : HttpError::requestLine($line);
    }
}
