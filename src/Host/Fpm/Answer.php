<?php

declare(strict_types=1);

namespace Headroom\Host\Fpm;

/**
 * What a pool answered: the HTTP answer that PHP wrote, and what PHP said beside it.
 *
 * @internal
 */
final readonly class Answer
{
    /**
     * @param array<string, string> $headers by their names in lower case
     * @param string $errors FastCGI's stderr: FPM's own words and, without an error_log, PHP's
     */
    private function __construct(
        public int $status,
        public array $headers,
        public string $body,
        public string $errors,
    ) {}

    /** @param string $output headers, an empty line, the body: RFC 3875, section 6 */
    public static function fromOutput(string $output, string $errors): self
    {
        $parts = preg_split('/\r?\n\r?\n/', $output, 2);
        [$head, $body] = $parts !== false && count($parts) === 2 ? $parts : ['', $output];
        $headers = [];

        foreach (explode("\n", $head) as $line) {
            if (str_contains($line, ':')) {
                [$name, $value] = explode(':', $line, 2);
                $headers[strtolower(trim($name))] = trim($value);
            }
        }

        return new self((int) substr($headers['status'] ?? '200', 0, 3), $headers, $body, trim($errors));
    }

    /**
     * FPM refuses a script in words of its own; a script that answers 403 or 404 itself does not say them.
     *
     * @throws UnableToAsk
     */
    public function mustCome(Address $from, string $script): self
    {
        if (str_contains($this->errors, 'security.limit_extensions')) {
            throw UnableToAsk::extensionNotAllowed($from, $script, $this->errors);
        }

        foreach (['Primary script unknown', 'Unable to open primary script'] as $words) {
            if (str_contains($this->errors, $words)) {
                throw UnableToAsk::scriptNotFound($from, $script, $this->errors);
            }
        }

        return $this;
    }
}
