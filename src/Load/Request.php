<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * One request. A source may return the same object repeatedly.
 */
final readonly class Request
{
    public Target $target;

    /**
     * @param non-empty-string $method
     * @param list<string> $headers each "Name: value"
     *
     * @throws InvalidPlan
     */
    public function __construct(
        string $url,
        public string $method = 'GET',
        public ?string $body = null,
        public array $headers = [],
    ) {
        $this->target = Target::fromUrl($url);

        if (preg_match('/\A[!#$%&\'*+.^_`|~0-9A-Za-z-]{1,32}\z/', $method) !== 1) {
            throw InvalidPlan::option('method', $method, 'an HTTP method such as GET or POST');
        }

        foreach ($headers as $header) {
            if (preg_match('/\A[!#$%&\'*+.^_`|~0-9A-Za-z-]+:[\t ]*[^\x00-\x20\x7f][^\r\n\0]*\z/', $header) !== 1) {
                throw InvalidPlan::option('header', $header, "'Name: value' on one line");
            }
        }

        if ($body !== null && in_array($method, ['HEAD', 'TRACE'], true)) {
            throw InvalidPlan::option('method', $method, 'a method that allows a body, because a body was given');
        }
    }

    public function withBody(string $body): self
    {
        return new self($this->target->url, $this->method, $body, $this->headers);
    }

    public function hasHeader(string $name): bool
    {
        foreach ($this->headers as $header) {
            if (strncasecmp($header, "{$name}:", strlen($name) + 1) === 0) {
                return true;
            }
        }

        return false;
    }
}
