<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers;

use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Illuminate\Support\Facades\DB;
use Workbench\App\Models\Document;

final class DocumentController
{
    public function show(Document $document): Response
    {
        return new Response('<h1>'.e($document->title).'</h1>');
    }

    public function store(Request $request): JsonResponse
    {
        return new JsonResponse(
            Document::query()->create($request->validate([
                'title' => 'required|string',
                'body' => 'string',
                'share_token' => 'string',
            ])),
            201,
        );
    }

    /** A title of "fail" fails behind the change, so that all of it is rolled back. */
    public function update(Request $request, Document $document): JsonResponse
    {
        DB::transaction(function () use ($request, $document): void {
            $document->update($request->validate(['title' => 'string', 'body' => 'string', 'share_token' => 'string']));
            abort_if($document->title === 'fail', 409);
        });

        return new JsonResponse($document);
    }

    public function destroy(Document $document): Response
    {
        $document->delete();

        return new Response(status: 204);
    }
}
