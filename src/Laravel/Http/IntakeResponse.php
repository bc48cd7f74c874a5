<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http;

use Headroom\Collector\Response as CollectorResponse;
use Headroom\Support\PhpRestrictions;
use Illuminate\Http\Request;
use Illuminate\Http\Response;

/**
 * A response of the collector, sent unchanged: with its own content type or none, and with a length.
 *
 * @internal
 */
final class IntakeResponse extends Response
{
    public static function of(CollectorResponse $source): self
    {
        $response = new self($source->body, $source->status, $source->headers);

        // Symfony adds Cache-Control if a response has none.
        if (! isset($source->headers['Cache-Control'])) {
            $response->headers->remove('Cache-Control');
        }

        if ($source->status !== 204) {
            $response->headers->set('Content-Length', (string) strlen($source->body));
        }

        return $response;
    }

    /**
     * Laravel would add a missing content type, and a charset to an existing one.
     *
     * @param mixed $request
     */
    public function prepare($request): static
    {
        if ($this->getStatusCode() === 204) {
            $this->setContent('');
            PhpRestrictions::call('ini_set', 'default_mimetype', '');

            return $this;
        }

        if (! $this->headers->has('Content-Type')) {
            PhpRestrictions::call('ini_set', 'default_mimetype', '');
        }

        if ($request instanceof Request && $request->isMethod('HEAD')) {
            $this->setContent('');
        }

        return $this;
    }
}
