<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers;

use Illuminate\Http\JsonResponse;
use Illuminate\Support\Facades\Log;
use RuntimeException;

/**
 * docs/uses/logs.md
 */
final class OrderController
{
    public function store(string $order): JsonResponse
    {
        $log = Log::channel('spool');
        $log->info('Order {order} has come in', ['order' => $order]);

        try {
            throw new RuntimeException('The warehouse is closed.');
        } catch (RuntimeException $e) {
            $log->error('Order {order} was not handed on', ['order' => $order, 'exception' => $e]);
        }

        return new JsonResponse(['accepted' => true], 202);
    }
}
